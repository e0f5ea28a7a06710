"""The parts of the suite that runs on a busy machine; I2S_LOAD_PARTS chooses some by their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from busy_machine import FOR_EACH_PROCESSOR
from chosen import chosen
from i2s_client.service_table import SERVICES as SERVICE_TABLE
from jail_ways import WAYS

ROOT = Path(__file__).resolve().parents[2]
SECURITY = ROOT / "tests" / "security"
#: gVisor does not tell how long a process waited for a processor of the host, so limits inside of it hold
#: on a quiet machine alone.
_LEFT_OUT = SECURITY / "jail" / "test_gvisor.py"
_JAIL = SECURITY / "jail" / "test_jail.py"
#: Its tests call the jail and no renderer, so they have no verdicts to record; what they require is in them.
_WITHOUT_VERDICTS = _JAIL.parent
#: Folders of which each file is a part of its own.
_BY_FILE = ("render_html",)
#: Files of which every test is made in one tier.
_BY_TIER = ("render_python/test_as_ordinary_user.py", "render_python/test_python_attacks.py")
_TIERS = ("landlock", "namespace")
#: Folder whose tests are made in the strongest tier alone, unless a variable names tiers.
_LILYPOND, _LILYPOND_TIERS = "render_lilypond", "I2S_LILYPOND_TIERS"

EXAMPLES = ROOT / "examples"
#: Folders of the data sets of the examples, by their task.
TASKS = {
    "latex": EXAMPLES,
    "webpage": EXAMPLES,
    "music": EXAMPLES,
    "chart": EXAMPLES / "charts",
    "readoc": EXAMPLES / "readoc",
}
#: Name of a model and the tasks that it answers, by the word for it; answers to latex alone are recorded.
MODELS = {
    "oracle": ("oracle", tuple(TASKS)),
    "replay": (f"replay:{EXAMPLES}/try/replay.jsonl", ("latex",)),
    "shuffled": ("baseline/shuffled", ("webpage", "music", "chart", "readoc")),
}

#: Name of the part that starts the images of all services; one Docker Engine serves it.
_IMAGES = "images"
#: Name of the part that interrupts runs, and the models of these runs.
_INTERRUPT, INTERRUPTED_MODELS = "interrupt", ("oracle", "openai/ground-truth")
SERVICES = tuple(one.name for one in SERVICE_TABLE)

#: What the time limit of every test is multiplied by: the load, and as much again as limits have to spare.
TIMEOUT_FACTOR = 4 * FOR_EACH_PROCESSOR
_DEFAULT_SECONDS = 300  # of a test without a limit of its own, as pyproject.toml says
_START_SECONDS = 1800


@dataclass(frozen=True)
class Part:
    """Tests that are run in one call of pytest.

    Attributes:
        files: Files of the security suite.
        keyword: Chooses some of their tests; empty for all.
        variables: Variables of the environment.
    """

    files: tuple[Path, ...]
    keyword: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_verdicts(self) -> bool:
        """Whether its tests have verdicts of renderers, which are recorded and compared."""
        return not all(_WITHOUT_VERDICTS in file.parents for file in self.files)

    @property
    def seconds(self) -> float:
        """Time limit of the part, quiet and busy, which is above that of each of its tests."""
        return 2 * _START_SECONDS + TIMEOUT_FACTOR * max(map(longest_limit, self.files))


def longest_limit(file: Path) -> float:
    """Return the longest time limit in seconds that a file gives its tests."""
    limits = [float(_DEFAULT_SECONDS)]
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.timeout":
            limits.append(float(ast.literal_eval(node.args[0])))
    return max(limits)


def attack_parts() -> dict[str, Part]:
    """Return the parts of the security suite by name, so small that each ends in its time."""
    parts: dict[str, Part] = {}
    for file in sorted(SECURITY.rglob("test_*.py")):
        if file != _LEFT_OUT:
            for name, part in _parts_of(file):
                known = parts.get(name, Part(()))
                parts[name] = Part((*known.files, *part.files), part.keyword, part.variables)
    return parts


def chosen_attacks() -> dict[str, Part]:
    """Return the parts of the security suite that I2S_LOAD_PARTS names; all where it is unset."""
    parts = attack_parts()
    names = chosen("I2S_LOAD_PARTS", all_names())
    return {name: parts[name] for name in names if name in parts}


def chosen_examples() -> list[tuple[str, str]]:
    """Return the models and tasks whose runs I2S_LOAD_PARTS names; all where it is unset."""
    examples = _example_names()
    names = chosen("I2S_LOAD_PARTS", all_names())
    return [examples[name] for name in names if name in examples]


def chosen_images() -> list[tuple[str, ...]]:
    """Return the services whose images are started, in one part, if I2S_LOAD_PARTS names it or is unset."""
    return [SERVICES for name in chosen("I2S_LOAD_PARTS", all_names()) if name == _IMAGES]


def chosen_interrupts() -> list[str]:
    """Return the models whose runs are interrupted, if I2S_LOAD_PARTS names that part or is unset."""
    names = chosen("I2S_LOAD_PARTS", all_names())
    return list(INTERRUPTED_MODELS) if _INTERRUPT in names else []


def all_names() -> tuple[str, ...]:
    """Return the names of all parts."""
    return (*attack_parts(), *_example_names(), _IMAGES, _INTERRUPT)


def _example_names() -> dict[str, tuple[str, str]]:
    return {
        f"examples {model} {task}": (model, task) for model, (_, tasks) in MODELS.items() for task in tasks
    }


def _parts_of(file: Path) -> Iterator[tuple[str, Part]]:
    path = file.relative_to(SECURITY)
    name = str(path)
    if file == _JAIL:
        for way in WAYS:
            yield f"{name} {way}", Part((file,), "attack_is_held", {"I2S_JAIL_WAYS": way})
        yield f"{name} others", Part((file,), "not attack_is_held")
    elif name in _BY_TIER:
        for tier, other in zip(_TIERS, reversed(_TIERS), strict=True):
            # Not by its name alone, which may be a word of an attack as well.
            yield f"{name} {tier}", Part((file,), f"{tier} and not {other}")
    elif path.parts[0] == _LILYPOND:
        yield f"{_LILYPOND} landlock", Part((file,), "landlock", {_LILYPOND_TIERS: "landlock"})
        # Together with the tests that have no tier.
        yield f"{_LILYPOND} namespace", Part((file,), "", {_LILYPOND_TIERS: "namespace"})
    elif len(path.parts) == 1 or path.parts[0] in _BY_FILE:
        yield name, Part((file,))
    else:
        yield path.parts[0], Part((file,))
