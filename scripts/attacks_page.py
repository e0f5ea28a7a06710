"""The page of the documentation site about attacks: which of them are tests, and in which files.

Reads the sources of the tests and runs none of them.
"""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

from i2s_wire.renderers import RENDERER_SPECS

ROOT = Path(__file__).resolve().parents[1]
#: Where the attacks are; the first line of each module says what it tries, and what holds.
SUITES = {
    "Sandboxes": (
        "tests/security/jail/attacks/*.py",
        "tests/security/jail/test_*.py",
        "tests/security/test_service_filter.py",
    ),
    **{
        f"{spec.title[:1].upper()}{spec.title[1:]}": (
            f"tests/security/test_{spec.name.removeprefix('render-')}*.py",
            f"tests/security/{spec.name.replace('-', '_')}/**/*.py",
        )
        for spec in RENDERER_SPECS
    },
    "Documents": ("tests/security/documents/*.py",),
    "Metrics and scorers": (
        "tests/security/metrics/*.py",
        "tests/unit/sdk/tasks/*/test_hostile*.py",
        "tests/unit/sdk/tasks/test_hostile*.py",
    ),
    "Callers": (
        "tests/security/test_wire_attacks.py",
        "tests/security/test_access_attacks.py",
        "tests/unit/gateway/test_slow_callers.py",
    ),
    "Services of root and of ordinary users": (
        "tests/security/test_started_as_root.py",
        "tests/security/test_as_ordinary_user.py",
        "tests/security/test_lost_monitor.py",
    ),
    "Processes that are killed from outside": (
        "tests/integration/*/test_killed*.py",
        "tests/integration/sdk/stack/test_killed_service.py",
        "tests/containers/test_failures.py",
    ),
    "Containers": (
        "tests/containers/test_attacks.py",
        "tests/containers/test_restrictions.py",
        "tests/containers/test_seccomp.py",
    ),
    "Data and completions": (
        "tests/unit/sdk/test_hostile_input.py",
        "tests/unit/collect/test_papers_hostile.py",
    ),
}
#: Says which files are run in more places.
PLACES = "tests/security/places.toml"
HEAD = f"""# Attacks that are tests

This page lists the attacks that the tests make, for people who review the security of the services. It is
made of the sources of the tests. Each line is one test, and most of them try several variants.
[security.md](security.md) has the threat model, and [testing.md](testing.md#attacks) says in which tiers and
as which users the attacks are made, and which verdicts depend on that.

`make test` makes each once, in the strongest tier, and `make test SUITE=security` in every tier, as the
user of the tests, most of the time root. Whole files are run once more by a service of the user `nobody`
("as an ordinary user"; by `make test SUITE=attacks` where no other test is named), and by `make test
SUITE=attacks` inside of the image of a service, which is started with the options of `deploy/compose` ("in
the container"). `{PLACES}` lists these files. `make test SUITE=load` runs the security suite on a busy
machine.
"""


def attacks(module: ast.Module) -> Iterator[str]:
    """Yield the attacks of a module: its tests, or the functions with the decorator ``attack``."""
    for one in module.body:
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = {ast.unparse(decorator).partition("(")[0] for decorator in one.decorator_list}
            if one.name.startswith("test_") or "attack" in decorators:
                yield one.name.removeprefix("test_").replace("_", " ")


def other_places() -> dict[str, str]:
    """Return where else the attacks of a file are made, by its path."""
    texts: dict[str, str] = {}
    for attacks_on in tomllib.loads((ROOT / PLACES).read_text("utf-8"))["attacks"].values():
        test = attacks_on.get("ordinary_test", "")
        places = {
            "ordinary": "as an ordinary user",
            "ordinary_test": f"as an ordinary user (`{test}`)",
            "container": f"in the container of {attacks_on['service']}",
        }
        for file in attacks_on["files"]:
            path = f"tests/security/{file}"
            texts[path] = " and ".join(says for place, says in places.items() if place in attacks_on)
    # One test runs the attacks in the folder beside it.
    jail = texts["tests/security/jail/test_jail.py"]
    return texts | {
        str(path.relative_to(ROOT)): jail for path in ROOT.glob("tests/security/jail/attacks/*.py")
    }


def section(pattern: str, places: dict[str, str]) -> Iterator[str]:
    """Yield the lines of the page about the files of a pattern."""
    for path in sorted(ROOT.glob(pattern)):
        module = ast.parse(path.read_text("utf-8"))
        names = list(attacks(module))
        if names:
            says = (ast.get_docstring(module) or "").partition("\n")[0]
            name = str(path.relative_to(ROOT))
            also = f" Also {places[name]}." if name in places else ""
            yield f"\n`{name}`: {says[:1].lower()}{says[1:]}{also}\n"
            yield from (f"- {name}" for name in names)


def page() -> str:
    """Return the page."""
    places = other_places()
    lines = [HEAD.rstrip("\n")]
    for title, patterns in SUITES.items():
        lines.append(f"\n## {title}")
        lines += [line for pattern in patterns for line in section(pattern, places)]
    return "\n".join(lines) + "\n"
