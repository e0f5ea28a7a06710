"""docs/adding.md lists what a new task touches: all of it, and nothing that is not there."""

import ast
import re
from pathlib import Path

import pytest

from i2s_sdk.cli import judge, score
from i2s_sdk.tasks.registry import DEFAULT_TASK, SPECS
from i2s_wire.metrics.profile import Profile

PAGE = Path("docs/adding.md")
#: They render one source as its task does, draw formulas for scorers in the document of its task, start the
#: LaTeX renderer with the preambles of its task, make items and answers of the tasks of one benchmark, or are
#: the reward that one benchmark defines.
ABOUT_ONE_TASK = {
    "run/conversions.py",
    "single/languages/html.py",
    "single/languages/latex.py",
    "single/languages/lilypond.py",
    "single/languages/python.py",
    "single/web_items.py",
    "cli/languages/html.py",
    "stack/services.py",
    "data/web_items/actions.py",
    "data/web_items/items.py",
    "data/web_items/elements.py",
    "models/baselines.py",
    "data/imports/olmocrbench.py",
    "data/imports/shapecode.py",
}
#: Packages that make the data of one task each: from the files of a benchmark, or from recorded web pages.
MAKE_DATA_OF_ONE_TASK = {"data/imports", "data/web_items"}
#: Names of tasks that mean something else: commands that make data, commands and messages of renderers,
#: languages of sources and of blocks, formats of tables and of conversions, rules for comparing tables.
OTHER_MEANINGS = {
    "cli/dataset.py": {"shapecode"},
    "cli/languages/latex.py": {"latex"},
    "cli/report.py": {"latex"},
    "reading/blocks.py": {"latex"},
    "report/tables.py": {"latex"},
    "run/conversions.py": {"latex"},
    "scoring/scorer.py": {"latex"},
    "text/teds.py": {"omnidocbench"},
}


def rows(texts, heading):
    """The paths in the first column of the table below a heading."""
    section = texts[PAGE].partition(f"## {heading}\n")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return [path for cell in cells for path in re.findall(r"`([^`]+)`", cell)]


def folder_of(name):
    """The folder of a task below tasks/; several tasks may share one."""
    return type(SPECS[name].open(Profile.PAPER)).__module__.split(".")[2]


@pytest.mark.parametrize("name", SPECS)
def test_each_task_has_every_file_that_is_its_own(root, texts, name):
    wanted = rows(texts, "What is its own")
    assert len(wanted) == 3
    assert [path for path in wanted if not (root / path.replace("{name}", folder_of(name))).is_file()] == []


def test_the_task_of_the_tests_has_the_same_files_and_one_scorer(root, texts):
    wanted = {Path(path).name for path in rows(texts, "What is its own")}
    assert {path.name for path in (root / "tests/support/colour_task").glob("*.py")} == wanted | {"scorer.py"}


def test_each_file_of_the_second_list_names_all_tasks(root, texts):
    listed = rows(texts, "What names all tasks")
    assert listed
    for path in listed:
        text = (root / path).read_text(encoding="utf-8")
        named = {name for name in SPECS if re.search(rf"\b{name}\b", text)}
        # A registry may name the folder of several tasks.
        assert [name for name in SPECS if name not in named and f".{folder_of(name)}." not in text] == [], (
            path
        )


def test_no_other_module_imports_what_is_a_task_s_own(root):
    package = root / "sdk/core/src/i2s_sdk"
    others = [
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if path != package / "tasks/registry.py"
        and not any(path.is_relative_to(package / "tasks" / folder_of(name)) for name in SPECS)
        and re.search(
            rf"i2s_sdk\.tasks\.({'|'.join(map(folder_of, SPECS))})\b", path.read_text(encoding="utf-8")
        )
    ]
    assert set(others) == ABOUT_ONE_TASK


def modules_for_all_tasks(package):
    """The modules of the SDK that are neither a task's own, nor the registry, nor make data of one task."""
    own = [package / "tasks" / folder_of(name) for name in SPECS]
    data = [package / path for path in MAKE_DATA_OF_ONE_TASK]
    for path in package.rglob("*.py"):
        if path != package / "tasks/registry.py" and not any(map(path.is_relative_to, own + data)):
            yield path


def test_no_other_module_names_a_task(root):
    package = root / "sdk/core/src/i2s_sdk"
    named = {}
    for path in modules_for_all_tasks(package):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        found = {node.value for node in nodes if isinstance(node, ast.Constant)} & set(SPECS)
        if found:
            named[str(path.relative_to(package))] = found
    assert named == OTHER_MEANINGS


def test_help_names_the_tasks_that_commands_take_by_default():
    shown = {
        name: {param.name: param.help for param in command.params if param.name == "task"}["task"]
        for name, command in (("score", score.score_command), ("human-scores", judge.human_scores_command))
    }
    scored = next(name for name, spec in SPECS.items() if spec.human_scoring is not None)
    assert shown["score"].endswith(f"[default: {DEFAULT_TASK}]")
    assert shown["human-scores"].endswith(f"else {scored}]")
