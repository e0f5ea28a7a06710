#!/usr/bin/env python3
"""Runs suites, each whatever became of those before it, and sums them up.

    scripts/check.py [SUITE…] [-- OPTION…]

Suites are the names of SUITES and GROUPS; without one it is "default", which is what `make test` runs. A
suite that is named itself is complete; as a part of "default" it leaves out the tests of tests/left_out.toml.
Options are those of pytest, or of the program behind the suite. The exit code is 0 only if all passed. With
CI=true or I2S_REQUIRE_ALL=1 a suite fails too if it skipped a test that tests/permitted_skips.toml does not
name. docs/testing.md describes suites and variables.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO

import suite_reports

ROOT = Path(__file__).resolve().parents[1]
BIN = ".venv/bin/"
REPORTS = Path(".i2s/tests")
DURATIONS = Path("tests/durations.json")
PERMITTED_SKIPS = Path("tests/permitted_skips.toml")
PROCESSORS = os.cpu_count() or 1
#: One more than processors, since tests wait for engines, services and each other some of their time.
WORKERS = os.environ.get("I2S_TEST_WORKERS", str(PROCESSORS + 1))
#: One file belongs to one process, so that its engines are started once; tests/conftest.py decides the order.
BY_FILE = ("-n", WORKERS, "--dist", "loadfile", "--no-loadscope-reorder")
NO_TESTS = 5  # exit code of pytest
REQUIRE_ALL = os.environ.get("CI", "").lower() in {"true", "1"} or bool(os.environ.get("I2S_REQUIRE_ALL"))

_PROCESSES = set[subprocess.Popen[bytes]]()  # the programs that are running


@dataclass(frozen=True)
class Suite:
    """A step of a check.

    Attributes:
        commands: The programs that it runs in turn, until one fails; the last one gets the options.
        sets: Sets of scripts/bootstrap that it needs beside "dev".
        variables: Defaults of variables of the environment.
    """

    commands: Sequence[Sequence[str]]
    sets: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_report(self) -> bool:
        """Whether pytest writes a report of it."""
        return self.commands[-1][0] == f"{BIN}pytest"


PREPARATIONS = (f"{BIN}python", "scripts/preparations.py")


def pytest(*words: str, index: bool = True) -> list[Sequence[str]]:
    """Return the commands of a suite of pytest.

    Args:
        words: Folders, files and options.
        index: Whether TeX's index is made before, since tests bound how long a renderer takes to start.
    """
    return [*([PREPARATIONS] if index else []), (f"{BIN}pytest", *words)]


def files(pattern: str) -> list[str]:
    """Return paths of the repository that a pattern describes."""
    return sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(pattern))


def mypy() -> list[Sequence[str]]:
    """Return two commands: one checks the code, the other one, less strictly, tests and examples."""
    bases = files("*/src") + files("*/*/src")
    packages = [package for base in bases for package in files(f"{base}/i2s_*")]
    checked = [
        package for package in packages if not package.endswith("/i2s_verifiers")
    ]  # scripts/training checks it
    others = ["protos/generate.py", *files("sdk/**/bundle_*.py"), *files("services/*/bundle_*.py"), "scripts"]
    path = ":".join([*bases, "scripts", "deploy/images", "examples", "."])
    strict = ["env", f"MYPYPATH={path}", f"{BIN}mypy", "--explicit-package-bases"]
    return [
        [*strict, *checked, *others, "benchmarks", "deploy/images/finish", *files("examples/make_*.py")],
        [f"{BIN}mypy", "--config-file", "tests/mypy.ini", "tests", "examples"],
    ]


NIGHTLY = {"I2S_TEST_LEVEL": "nightly", "I2S_TIMEOUT_FACTOR": "40", "I2S_CHAOS_ACTIONS": "60"}

#: All suites, in the order in which they run.
SUITES = {
    "lint": Suite([(f"{BIN}ruff", "check", "."), (f"{BIN}ruff", "format", "--check", ".")]),
    "types": Suite(mypy()),
    "unit": Suite(pytest("tests/unit", "-n", WORKERS, index=False)),
    "integration": Suite(pytest("tests/integration", *BY_FILE)),
    "security": Suite(pytest("tests/security", *BY_FILE)),
    "fidelity": Suite(pytest("tests/fidelity", *BY_FILE)),
    "containers": Suite(pytest("tests/containers"), ["containers"]),
    "kernels": Suite(pytest("tests/kernels"), ["kernels"], {"I2S_REQUIRE_KERNELS": "1"}),
    "wheels": Suite(pytest("tests/wheels", index=False), (), {"I2S_REQUIRE_WHEELS": "1"}),
    "platforms": Suite(pytest("tests/platforms", index=False), ["platforms"], {"I2S_REQUIRE_PLATFORMS": "1"}),
    "clients": Suite(pytest("tests/clients")),
    "training": Suite([("scripts/training",)]),
    "cluster": Suite(pytest("tests/cluster", index=False)),
    "attacks": Suite(pytest("tests/attacks"), ["containers"], {"I2S_REQUIRE_ATTACKS": "1"}),
    "mutants": Suite([(f"{BIN}python", "tests/mutants/run.py")]),
    "chaos": Suite(pytest(*files("tests/integration/**/test_chaos.py"), "-s"), (), NIGHTLY),
    "soak": Suite(
        [
            PREPARATIONS,
            ("env", "PYTHONPATH=tests/support", f"{BIN}python", "tests/soak/run.py"),
        ]
    ),
    "repetitions": Suite(pytest("tests/unit", "tests/integration", *BY_FILE, "-m", "nightly"), (), NIGHTLY),
    "properties": Suite(
        pytest("tests/unit", "tests/integration", *BY_FILE, "-m", "hypothesis"),
        (),
        {**NIGHTLY, "I2S_HYPOTHESIS_PROFILE": "nightly"},
    ),
    "load": Suite(
        pytest("tests/load", "-n", str(2 * PROCESSORS), "--dist", "worksteal"), (), {"I2S_REQUIRE_LOAD": "1"}
    ),
}
DEFAULT = ("lint", "types", "unit", "integration", "security", "fidelity")
GROUPS = {
    "default": DEFAULT,
    "all": (*DEFAULT, "containers", "kernels", "wheels", "platforms", "clients"),
    "nightly": tuple(name for name in SUITES if name not in {"chaos", "cluster"}),  # chaos is a repetition
}
#: Suites that run at the same time, since each leaves a processor idle at times.
TOGETHER = (("types", "unit"), ("containers", "kernels", "wheels"))


@dataclass(frozen=True)
class Step:
    """A suite as it is run.

    Attributes:
        name: Its name.
        short: Whether it leaves out the tests of tests/left_out.toml.
    """

    name: str
    short: bool

    @property
    def report(self) -> Path:
        """The file that pytest writes."""
        return REPORTS / f"{self.name}.xml"


@dataclass(frozen=True)
class Result:
    """The result of a step."""

    step: Step
    passed: bool
    seconds: float


def steps(words: Sequence[str]) -> list[Step]:
    """Return the steps that words ask for, in the order of SUITES.

    Raises:
        SystemExit: A word is not the name of a suite or group.
    """
    if unknown := [word for word in words if word not in SUITES and word not in GROUPS]:
        known = ", ".join([*GROUPS, *SUITES])
        sys.exit(f"check: there is no suite {', '.join(unknown)}; there are {known}")
    complete = {name for word in words if word != "default" for name in GROUPS.get(word, (word,))}
    short = set(DEFAULT if "default" in words or not words else ()) - complete
    return [Step(name, name in short) for name in SUITES if name in complete | short]


def in_groups(chosen: Sequence[Step]) -> list[list[Step]]:
    """Return the steps, with those together that run at the same time."""
    groups: list[list[Step]] = []
    for step in chosen:
        if groups and any({step.name, groups[-1][0].name} <= set(names) for names in TOGETHER):
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def environment(step: Step) -> dict[str, str]:
    """Return the variables of a step; what the caller has set stands."""
    level = {"I2S_TEST_LEVEL": "short"} if step.short else {}
    variables = {**level, **SUITES[step.name].variables, **os.environ}
    # Else each of the thousands of processes that tests start compiles what it imports of ours.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    return variables


def run(group: Sequence[Step], options: Sequence[str]) -> list[Result]:
    """Run steps at the same time; of several, what they print is shown once all have ended."""
    if len(group) == 1:
        print(f"\n== {group[0].name}", flush=True)
        return [_run(group[0], options, None)]
    with contextlib.ExitStack() as stack, ThreadPoolExecutor(len(group)) as threads:
        logs = [stack.enter_context((REPORTS / f"{step.name}.log").open("w+b")) for step in group]
        futures = [threads.submit(_run, step, options, log) for step, log in zip(group, logs, strict=True)]
        try:
            return [future.result() for future in futures]
        finally:
            end_processes()
            threads.shutdown()
            for step, log in zip(group, logs, strict=True):
                log.seek(0)
                print(f"\n== {step.name}\n{log.read().decode(errors='replace')}", flush=True)


def _run(step: Step, options: Sequence[str], log: IO[bytes] | None) -> Result:
    """Run the programs of a step, until one fails."""
    began, passed = time.monotonic(), True
    suite = SUITES[step.name]
    step.report.unlink(missing_ok=True)
    for command in suite.commands:
        words = [*command]
        if command is suite.commands[-1]:
            words += [f"--junitxml={step.report}"] if suite.has_report else []
            words += options if step.name not in {"lint", "types"} else []
        with subprocess.Popen(words, env=environment(step), stdout=log, stderr=log) as process:
            _PROCESSES.add(process)
            code = process.wait()
            _PROCESSES.discard(process)
        # Options such as -k may leave a suite with nothing to run; without options that is a fault.
        if code != 0 and not (code == NO_TESTS and suite.has_report and options):
            passed = False
            break
    if REQUIRE_ALL and suite_reports.unpermitted(suite_reports.read_cases(step.report), PERMITTED_SKIPS):
        passed = False
    return Result(step, passed, time.monotonic() - began)


def end_processes() -> None:
    """End the programs that are running."""
    for process in list(_PROCESSES):
        process.terminate()


def summarize(results: Sequence[Result]) -> int:
    """Print skipped tests, those left out, and what became of each suite; returns the exit code."""
    cases = {result.step: suite_reports.read_cases(result.step.report) for result in results}
    every = [case for of_step in cases.values() for case in of_step]
    unknown = suite_reports.unpermitted(every, PERMITTED_SKIPS)
    may_be = [case for case in every if case not in unknown]
    left_out = [
        line
        for result in results
        for line in suite_reports.left_out(result.step.report.with_suffix(".left_out"))
    ]
    show("skipped, and may be", suite_reports.skips(may_be))
    show(f"skipped, and not in {PERMITTED_SKIPS}", suite_reports.skips(unknown))
    show("left out", left_out)
    lines = []
    for result in results:
        verdict = "passed" if result.passed else "FAILED"
        tests = f"{len(cases[result.step]):6} tests" if cases[result.step] else ""
        lines.append(f"  {result.step.name:12} {verdict}  {result.seconds:5.0f} s {tests}".rstrip())
    show("summary", [*lines, *suite_reports.failures(every)])
    failed = [result for result in results if not result.passed]
    print("Something failed; it is marked above." if failed else "All passed.")
    return 1 if failed else 0


def show(title: str, lines: Iterable[str]) -> None:
    """Print lines below a title, if there are some."""
    if text := "\n".join(lines):
        print(f"\n== {title}\n{text}", flush=True)


def record(results: Sequence[Result]) -> None:
    """Write the durations of suites that passed, and of their slowest tests, into tests/durations.json."""
    for section, short in (("default", True), ("complete", False)):
        seconds = {
            result.step.name: result.seconds
            for result in results
            if result.passed and result.step.short == short
        }
        suite_reports.record_durations(DURATIONS, section, seconds, REPORTS)


def main(words: Sequence[str]) -> int:
    """Run the suites that words name; returns the exit code."""
    os.chdir(ROOT)
    end = words.index("--") if "--" in words else len(words)
    names, options = words[:end], words[end + 1 :]
    chosen = steps(names)
    REPORTS.mkdir(parents=True, exist_ok=True)
    if sets := sorted({name for step in chosen for name in SUITES[step.name].sets}):
        subprocess.run(["scripts/bootstrap", "dev", *sets], check=True)
    signal.signal(signal.SIGTERM, _on_sigterm)
    results = [result for group in in_groups(chosen) for result in run(group, options)]
    code = summarize(results)
    if os.environ.get("I2S_RECORD_DURATIONS") and not options:
        record(results)
    return code


def _on_sigterm(number: int, frame: FrameType | None) -> None:
    end_processes()
    sys.exit(128 + number)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:  # the programs got the signal too
        sys.exit(130)
