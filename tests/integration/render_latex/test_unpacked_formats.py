"""The unpacked formats of LaTeX: made once, found by every run, and without an effect on what is drawn."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

import pytest

from i2s_chassis.errors import EngineError, StartError
from i2s_render_latex import preparation
from i2s_render_latex.engine import LatexRenderer
from i2s_render_latex.installation import ENVIRONMENT, PROGRAM_FOLDERS
from i2s_render_latex.model import LatexJob, Options
from i2s_render_latex.preparation import UnpackedFormats, unpack_formats
from i2s_render_latex.programs import PROGRAMS
from i2s_wire.render.options import LatexEngine as TexEngine
from i2s_wire.render.rendering import Verdict

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

SOURCE = rb"""\documentclass{article}
\usepackage{amsmath}
\begin{document}
Text and $\int_0^1 x\,dx$ \label{a}, \pageref{a}.
\end{document}
"""


def found(program, environment):
    """Return the format that a run of a program begins with."""
    asked = ["kpsewhich", f"-engine={program.engine}", f"-progname={program.name}", f"{program.name}.fmt"]
    ended = subprocess.run(asked, capture_output=True, text=True, check=True, env=environment)
    return Path(ended.stdout.strip())


async def test_every_run_finds_the_unpacked_format_of_its_engine(engine, tmp_path):
    unpacked = await unpack_formats(tmp_path, engine.installation)
    base = {"PATH": PROGRAM_FOLDERS, **ENVIRONMENT}
    for one in engine.installation.engines:
        program = PROGRAMS[one]
        of_the_distribution = found(program, base)
        ours = found(program, {**base, **unpacked.environment})
        assert ours == unpacked.folder / f"{program.name}.fmt" != of_the_distribution
        assert ours.read_bytes() == gzip.decompress(of_the_distribution.read_bytes())


async def test_formats_are_unpacked_once(engine, tmp_path):
    first = await unpack_formats(tmp_path, engine.installation)
    made = {path: path.stat().st_ino for path in first.folder.iterdir()}
    assert await unpack_formats(tmp_path, engine.installation) == first
    assert {path: path.stat().st_ino for path in first.folder.iterdir()} == made
    assert [path.name for path in tmp_path.iterdir()] == ["unpacked"]


@pytest.mark.parametrize("tex", TexEngine, ids=lambda one: one.name.lower())
async def test_pictures_and_logs_are_those_of_the_packed_format(engine, tex):
    packed = LatexRenderer(engine._settings, engine._jail, engine.installation, engine._index)
    job = LatexJob(SOURCE, options=Options(engine=tex, cold=True))
    with_unpacked, with_packed = await engine.render(job), await packed.render(job)
    assert with_unpacked.verdict is with_packed.verdict is Verdict.RENDERED
    assert with_unpacked.pictures[0].png == with_packed.pictures[0].png
    assert with_unpacked.log == with_packed.log


async def test_a_cold_run_begins_with_the_unpacked_format(engine, open_folder):
    folder = open_folder / "useless"
    folder.mkdir(mode=0o755)
    (folder / "pdflatex.fmt").write_bytes(b"no format")
    unpacked = UnpackedFormats(folder)
    other = LatexRenderer(
        engine._settings, engine._jail, engine.installation, engine._index, unpacked=unpacked
    )
    with pytest.raises(EngineError, match="without a log"):
        await other.render(LatexJob(SOURCE, options=Options(cold=True)))


async def test_a_format_that_is_not_packed_is_taken_as_it_is(engine, tmp_path, monkeypatch):
    plain = tmp_path / "plain.fmt"
    plain.write_bytes(b"W2TX of a distribution that does not compress")
    monkeypatch.setattr(preparation, "_format_of", lambda program: plain)
    unpacked = await unpack_formats(tmp_path / "state", engine.installation)
    assert (unpacked.folder / "pdflatex.fmt").read_bytes() == plain.read_bytes()


BROKEN = {"no gzip": b"\x1f\x8b no gzip", "cut off": gzip.compress(b"cut off" * 1000)[:-20]}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
async def test_a_format_that_cannot_be_unpacked_is_named_at_the_start(engine, tmp_path, monkeypatch, content):
    broken = tmp_path / "broken.fmt"
    broken.write_bytes(content)
    monkeypatch.setattr(preparation, "_format_of", lambda program: broken)
    with pytest.raises(StartError, match="formats of LaTeX cannot be unpacked"):
        await unpack_formats(tmp_path / "state", engine.installation)
    assert not list((tmp_path / "state").glob("*/*"))


async def test_a_state_folder_that_cannot_be_written_to_is_named(engine, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StartError, match=f"--state-dir {tmp_path / 'file'}"):
        await unpack_formats(tmp_path / "file", engine.installation)
