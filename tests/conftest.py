"""What holds for every suite."""

from __future__ import annotations

import gc
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Thousands of tests and modules stay until the end: looking for garbage among them takes a sixth of the time
# of collecting them. pytest_collection_finish turns it on again.
gc.disable()

pytest.register_assert_rewrite(
    "renderer_contract", "audit_contract", "lost_cell_contract", "surrogate_contract"
)

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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests marked ``nightly`` unless I2S_NIGHTLY is set, and scale the time limits of the rest.

    In several processes, files whose tests may take longest come first; else the last one keeps a single
    process busy for minutes.
    """
    _leave_out_nightly(config, items)
    if hasattr(config, "workerinput"):
        _longest_first(config, items)
    _scale_time_limits(config, items)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look for garbage from now on, and only among what tests make."""
    gc.freeze()
    gc.enable()


def _leave_out_nightly(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the repetitions that only ``make test-nightly`` runs; each mark says what is run instead."""
    kept, left_out, listed = list[pytest.Item](), list[pytest.Item](), list[str]()
    for item in items:
        mark = item.get_closest_marker("nightly")
        if mark is not None and not mark.kwargs.get("instead"):
            raise pytest.UsageError(f"{item.nodeid}: the mark nightly needs instead='what make test runs'")
        if mark is None or os.environ.get("I2S_NIGHTLY"):
            kept.append(item)
        else:
            left_out.append(item)
            listed.append(f"{item.nodeid}\t{' '.join(mark.kwargs['instead'].split())}\n")
    _list_left_out(config, listed)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def _list_left_out(config: pytest.Config, lines: list[str]) -> None:
    """Write the tests that were left out beside the report of the suite, for scripts/left_out."""
    report = config.getoption("xmlpath", None)
    if report is None or getattr(config, "workerinput", {"workerid": "gw0"})["workerid"] != "gw0":
        return  # of several processes, which all collect the same tests, one writes
    file = Path(report).with_suffix(".nightly")
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
