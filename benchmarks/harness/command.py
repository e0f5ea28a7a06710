"""The command line of a benchmark: its options, its progress, its result, its exit code."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from i2s_sdk.errors import I2SError

_INTERRUPTED = 130


class MeasurementError(Exception):
    """Nothing can be compared: a side failed, or both do not give the same result; says which and why."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a benchmark."""

    document: Mapping[str, Any] | Sequence[Any]  #: What ``--json`` prints; times are seconds.
    lines: Iterable[str]  #: What is printed without ``--json``.
    code: int  #: The exit code: 0 if the claims hold, 1 if one does not, 2 if the results differ.


def say(text: str) -> None:
    """Print on standard error how far a benchmark is."""
    print(f"{text:<79}", end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)


def positive(text: str) -> int:
    """Return the number of an option that is 1 or more."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not 1 or more")
    return value


def command_line(name: str, description: str | None, examples: str = "") -> argparse.ArgumentParser:
    """Return the parser of ``python -m benchmarks.NAME``, with the option ``--json``."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{name}",
        description=description,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of tables")
    return parser


def add_repeat(parser: argparse.ArgumentParser, default: int, of: str = "of every job") -> None:
    """Add the option ``--repeat``."""
    text = f"repetitions {of} (default: {default})"
    parser.add_argument("--repeat", type=positive, default=default, metavar="N", help=text)


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a comparison of renderers."""
    add_repeat(parser, 5)
    add = parser.add_argument
    add("--limit", type=positive, metavar="N", help="only the first N examples")
    add("--rounds", type=int, default=2, metavar="N", help="rounds of throughput, 0 for none (default: 2)")
    add("--slots", type=positive, default=2, metavar="N", help="jobs at once for throughput (default: 2)")
    add("--data", type=Path, metavar="FOLDER", help="data set (default: the bundled examples)")


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--output``."""
    text = "write the JSON document too, unless results differ"
    parser.add_argument("--output", type=Path, metavar="FILE", help=text)


def finish(
    given: argparse.Namespace,
    measure: Callable[[], Result],
    *,
    failures: tuple[type[Exception], ...] = (),
    indent: int = 1,
) -> int:
    """Measure, print the result, and return the exit code.

    Args:
        given: The options; ``json``, and ``output`` if there is one.
        measure: Returns the result.
        failures: Errors besides MeasurementError and I2SError for which nothing could be measured.
        indent: Indentation of the JSON document.
    """
    expected: tuple[type[Exception], ...] = (MeasurementError, I2SError, *failures)
    try:
        result = measure()
        document = json.dumps(result.document, indent=indent)
    except expected as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("benchmark: interrupted", file=sys.stderr)
        return _INTERRUPTED
    print(document if given.json else "\n".join(result.lines))
    if getattr(given, "output", None) and result.code < 2:
        given.output.write_text(document + "\n")
    return result.code
