"""Programs, the files beside them, and what of the environment they may import."""

import json
from pathlib import Path

import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import InvalidArgumentError
from i2s_render_python import files
from i2s_render_python.inside.library_finder import LibraryFinder
from i2s_render_python.installation import find_libraries, readable
from i2s_render_python.model import Options, PythonJob
from i2s_render_python.servicer import options_from_wire, options_to_wire
from i2s_wire.render.options import Crop
from i2s_wire.render.request import File

BOUNDS = {"max_bytes": 100, "max_file_bytes": 10, "max_files": 2}


@pytest.mark.parametrize(
    ("program", "beside", "words"),
    [
        (b"1", (), None),
        (b"1", (File("data/x.csv", b"1"),), None),
        (b"", (), "python.program: is empty"),
        (b"x\0", (), "python.program: holds a NUL at byte 1"),
        (b"\xff", (), "python.program: is not UTF-8"),
        (b"#" * 101, (), "python.program: has 101 bytes"),
        (
            b"1",
            (File("program.py", b""),),
            'python.files: the file name "program.py" stands twice or is reserved',
        ),
        (b"1", (File(".i2s", b""),), "in the folder .i2s, which is reserved"),
        (b"1", (File(".I2S/job.json", b""),), "in the folder .i2s, which is reserved"),
        (b"1", (File("../x", b""),), 'has the part ".."'),
        (b"1", (File("x", b"1" * 11),), '"x" has 11 bytes, at most 10 are taken'),
        (b"1", tuple(File(name, b"") for name in "abc"), "has 3 files, at most 2"),
    ],
)
def test_what_cannot_be_run_is_named(program, beside, words):
    said = files.complaint(program, beside, **BOUNDS)
    assert said is None if words is None else words in said


def test_the_folder_of_a_job_holds_what_its_process_reads():
    options = Options(
        first_page=2, page_count=3, dpi=50.0, want_objects=True, restored_names=("numpy.float_",)
    )
    job = PythonJob(b"1", (File("a/b", b"2"),), options)
    folder = files.work_folder(job, 7.0, "secret")
    assert (folder["program.py"], folder["a/b"]) == (b"1", b"2")
    assert json.loads(folder[".i2s/job.json"]) == {
        "first": 2,
        "count": 3,
        "dpi": 50.0,
        "want_objects": True,
        "restored_names": ["numpy.float_"],
        "pixels": job.limits.pixels,
        "clock": 7.0,
        "token": "secret",
    }


def test_options_go_to_the_wire_and_back():
    assert options_from_wire(pb.RenderOptions()) == Options()
    options = Options(120.0, 2, 3, 0.1, Crop.INK, want_objects=True, cold=True, restored_names=("numpy.Inf",))
    assert options_from_wire(options_to_wire(options)) == options


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (pb.RenderOptions(window=pb.WindowOptions(width=1)), "options.window"),
        (pb.RenderOptions(page=pb.PageOptions(dpi=0)), "options.page.dpi"),
        (pb.RenderOptions(page=pb.PageOptions(first_page=0)), "options.page.first_page"),
        (pb.RenderOptions(python=pb.PythonOptions(restored_names=["os.x"])), "options.python.restored_names"),
    ],
)
def test_options_without_a_meaning_are_refused(options, field):
    with pytest.raises(InvalidArgumentError, match=field):
        options_from_wire(options)


def test_libraries_are_the_extra_with_what_it_needs():
    libraries = find_libraries()
    assert {"matplotlib", "numpy", "contourpy", "pillow", "python-dateutil"} <= set(libraries.versions)
    assert not {"grpcio", "pydantic", "i2s-chassis", "pytest"} & set(libraries.versions)
    assert {"matplotlib", "numpy", "PIL", "six.py"} <= set(libraries.entries)
    assert not {"grpc", "pydantic", "i2s_chassis", "bin", "__pycache__"} & set(libraries.entries)
    for path in readable(libraries):
        assert path.exists()
        assert not path.is_relative_to("/usr")


def test_the_finder_finds_modules_packages_and_metadata(tmp_path):
    (tmp_path / "single.py").write_text("VALUE = 1\n")
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole/__init__.py").write_text("")
    (tmp_path / "spread").mkdir()
    (tmp_path / "single_thing-1.2.dist-info").mkdir()
    (tmp_path / "single_thing-1.2.dist-info/METADATA").write_text("Name: single-thing\nVersion: 1.2\n")
    finder = LibraryFinder({path.name: str(path) for path in tmp_path.iterdir()})
    assert finder.find_spec("single").origin == str(tmp_path / "single.py")
    assert finder.find_spec("whole").submodule_search_locations == [str(tmp_path / "whole")]
    assert list(finder.find_spec("spread").submodule_search_locations) == [str(tmp_path / "spread")]
    assert finder.find_spec("other") is None
    assert finder.find_spec("whole.single", [str(tmp_path)]) is None
    (found,) = finder.find_distributions()
    assert found.version == "1.2"


def test_what_runs_inside_imports_nothing_of_the_service():
    inside = Path(files.__file__).parent / "inside"
    for module in inside.rglob("*.py"):
        text = module.read_text()
        assert "from i2s_chassis" not in text, module
        assert "import i2s_chassis" not in text, module
        assert "i2s_wire import" not in text, module
