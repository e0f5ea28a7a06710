"""What holds for every suite."""

from __future__ import annotations

import gc
import os
import re
import signal
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Thousands of tests and modules stay until the end: looking for garbage among them takes a sixth of the time
# of collecting them. pytest_collection_finish turns it on again.
gc.disable()

# A shell starts what a script runs in the background with these signals ignored, and programs inherit that.
# Tests of Ctrl-C send them to programs, which are to be as on a terminal.
for _number, _handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGQUIT, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)

# Baselines and the oracle beside each evaluation are tested on their own; elsewhere they only take time.
os.environ.setdefault("I2S_REFERENCE_POINTS", "no")

# Tests of the caches turn them on, in folders of their own; no other test may meet what another one has kept.
os.environ.setdefault("I2S_RENDER_CACHE", "no")
os.environ.setdefault("I2S_SCORE_CACHE", "no")

# A warm process to spare takes two to four CPU seconds to start, and few services of tests live to use it.
os.environ.setdefault("I2S_RENDER_LILYPOND_WARM_SPARE", "0")
os.environ.setdefault("I2S_RENDER_PYTHON_WARM_SPARE", "0")

# POT is given arrays of NumPy alone, and would import PyTorch in each process of the tests.
os.environ.setdefault("POT_BACKEND_DISABLE_PYTORCH", "1")

# No test may depend on the load of the machine, so no example has a deadline. What a fixture makes is shared
# by all examples of a test, which each write under names of their own.
_FOR_ALL = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
settings.register_profile("push", _FOR_ALL, max_examples=25)
settings.register_profile("nightly", _FOR_ALL, max_examples=1000)
settings.load_profile(os.environ.get("I2S_HYPOTHESIS_PROFILE", "push"))

_LEVELS = ("short", "complete", "nightly")


@dataclass(frozen=True)
class _Rule:
    """Tests of a suite that the level "short" leaves out: those whose names a pattern is found in."""

    suite: str
    pattern: re.Pattern[str]
    why: str

    def covers(self, item: pytest.Item) -> bool:
        return item.nodeid.startswith(f"tests/{self.suite}/") and bool(self.pattern.search(item.nodeid))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of another level than I2S_TEST_LEVEL, and scale the time limits of the rest.

    In several processes, files whose tests may take longest come first; else the last one keeps a single
    process busy for minutes.
    """
    _leave_out(config, items)
    if hasattr(config, "workerinput"):
        _longest_first(config, items)
    _scale_time_limits(config, items)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look for garbage from now on, and only among what tests make."""
    gc.freeze()
    gc.enable()


def _leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests, and list them beside the report of the suite.

    The level "nightly" has all tests, "complete" those without the mark ``nightly``, and "short" of these the
    ones that tests/left_out.toml does not name.
    """
    level = os.environ.get("I2S_TEST_LEVEL", "complete")
    if level not in _LEVELS:
        raise pytest.UsageError(f"I2S_TEST_LEVEL is {level!r}; there are {', '.join(_LEVELS)}")
    rules = _rules() if level == "short" else []
    kept, left_out, listed = list[pytest.Item](), list[pytest.Item](), list[str]()
    for item in items:
        mark = item.get_closest_marker("nightly")
        rule = next((one for one in rules if one.covers(item)), None)
        if mark is not None and not mark.kwargs.get("instead"):
            raise pytest.UsageError(f"{item.nodeid}: the mark nightly needs instead='what make test runs'")
        if mark is not None and level != "nightly":
            line = f"{item.nodeid}\tSUITE=nightly\t{' '.join(mark.kwargs['instead'].split())}\n"
        elif rule is not None:
            line = f"{item.nodeid}\tSUITE=all\t{rule.why}\n"
        else:
            kept.append(item)
            continue
        left_out.append(item)
        listed.append(line)
    _list_left_out(config, listed)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def _rules() -> list[_Rule]:
    """Return the rules of tests/left_out.toml."""
    file = Path(__file__).with_name("left_out.toml")
    entries = tomllib.loads(file.read_text(encoding="utf-8"))["left_out"]
    return [
        _Rule(entry["suite"], re.compile(pattern), entry["why"])
        for entry in entries
        for pattern in entry["tests"]
    ]


def _list_left_out(config: pytest.Config, lines: list[str]) -> None:
    """Write the tests that were left out beside the report of the suite, for scripts/check.py."""
    report = config.getoption("xmlpath", None)
    if report is None or getattr(config, "workerinput", {"workerid": "gw0"})["workerid"] != "gw0":
        return  # of several processes, which all collect the same tests, one writes
    file = Path(report).with_suffix(".left_out")
    file.unlink(missing_ok=True)
    if lines:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(lines), encoding="utf-8")


def _longest_first(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort files by the longest time limit of their tests, then by how many they have; most comes first."""
    limits, counts = dict[Path, float](), Counter[Path]()
    for item in items:
        limits[item.path] = max(limits.get(item.path, 0), _time_limit(config, item))
        counts[item.path] += 1
    items.sort(key=lambda item: (-limits[item.path], -counts[item.path], item.path))


def _time_limit(config: pytest.Config, item: pytest.Item) -> float:
    """Return the seconds that a test may take."""
    own = item.get_closest_marker("timeout")
    return float(own.args[0] if own is not None and own.args else config.getini("timeout"))


def _scale_time_limits(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give every test more time, I2S_TIMEOUT_FACTOR times what it has, on machines that are slow or busy."""
    factor = float(os.environ.get("I2S_TIMEOUT_FACTOR", "1"))
    if factor == 1:
        return
    for item in items:
        own = item.get_closest_marker("timeout")
        rest = own.args[1:] if own is not None else ()
        scaled = pytest.mark.timeout(
            _time_limit(config, item) * factor, *rest, **(own.kwargs if own is not None else {})
        )
        item.add_marker(scaled, append=False)
