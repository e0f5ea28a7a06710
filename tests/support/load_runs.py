"""Runs parts of the security suite and examples, on the quiet machine first and then on the busy one.

Results of the quiet machine are kept in build/verdicts, for each state of the code anew, or in the folder
that I2S_QUIET_VERDICTS names, which holds for any state of the code.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from chat_server import Behaviour, ChatServer
from i2s_sdk.data import read_folder
from i2s_sdk.run.storage.folder import ANSWERS, RECORDS, RESULTS
from load_parts import (
    EXAMPLES,
    MODELS,
    ROOT,
    TASKS,
    TIMEOUT_FACTOR,
    Part,
    chosen_attacks,
    chosen_examples,
    chosen_interrupts,
)
from recorded_verdicts import VARIABLE

FOLDER_VARIABLE = "I2S_QUIET_VERDICTS"
#: What decides verdicts: the products under attack and the attacks.
_CODE = ("protos", "services", "tests/security", "tests/support")
#: Test processes of a part for each processor. A busy machine has few to spare for each of them.
_WORKERS, _QUIET_WORKERS = 4, 1
#: Samples of three tasks in the part "interrupt".
INTERRUPTED_SAMPLES = ("--data", str(EXAMPLES), "--limit", "6", "--seed", "3")
#: Seconds that services may take to start, and to answer a call.
_PATIENCE = "1800"


class QuietRunError(AssertionError):
    """A part did not pass on the quiet machine; the message has what it printed."""


def prepare(say: Callable[[str], None]) -> None:
    """Run the chosen parts and examples on the quiet machine, unless their results are kept.

    If one of them fails, ``quiet_verdicts`` or ``quiet_run`` raises what it printed.

    Args:
        say: Called with a line before each of them.
    """
    attacks = [(name, part) for name, part in chosen_attacks().items() if part.has_verdicts]
    examples = chosen_examples()
    interrupts = chosen_interrupts()
    count = len(attacks) + len(examples) + len(interrupts)
    for number, (name, part) in enumerate(attacks, 1):
        say(f"quiet machine: {number} of {count}, {name}")
        keep_verdicts(name, part)
    for number, (model, task) in enumerate(examples, len(attacks) + 1):
        say(f"quiet machine: {number} of {count}, examples {model} {task}")
        _keep_run(f"examples {model} {task}", functools.partial(evaluate, model, task))
    for number, model in enumerate(interrupts, len(attacks) + len(examples) + 1):
        say(f"quiet machine: {number} of {count}, interrupt {model}")
        _keep_run(_uninterrupted(model), functools.partial(run_uninterrupted, model))


def quiet_verdicts(name: str) -> Path:
    """Return the file with the verdicts of a part on the quiet machine.

    Raises:
        QuietRunError: The part did not pass there.
    """
    return _passed(_folder() / f"{name.replace('/', ' ')}.jsonl")


def quiet_run(model: str, task: str) -> Path:
    """Return the run folder of examples that were evaluated on the quiet machine.

    Raises:
        QuietRunError: The evaluation failed there.
    """
    return _passed(_folder() / f"examples {model} {task}")


def uninterrupted_run(model: str) -> Path:
    """Return the run folder of a model of ``INTERRUPTED_MODELS`` on the quiet machine.

    Raises:
        QuietRunError: The evaluation failed there.
    """
    return _passed(_folder() / _uninterrupted(model))


def run_uninterrupted(model: str, out: Path) -> None:
    """Evaluate a model of ``INTERRUPTED_MODELS`` on the samples of the part "interrupt"."""
    with answering(model) as options:
        complete(evaluation(model, out, *INTERRUPTED_SAMPLES, *options), out)


@contextlib.contextmanager
def answering(model: str, behaviour: Behaviour = lambda question, before: "answer") -> Iterator[list[str]]:
    """Have a model of ``INTERRUPTED_MODELS`` answer with the ground truth as long as the block lasts.

    Args:
        model: The oracle, or a model of a chat server.
        behaviour: What the server does with a question.

    Yields:
        Options of i2s-sdk for calls of the model.
    """
    if model == "oracle":
        yield []
        return
    answers = {
        run_line["id"]: run_line["completion"]
        for run_line in run_lines(uninterrupted_run("oracle") / ANSWERS)
    }
    pictures = {
        instance.id: instance.image for instance in read_folder(EXAMPLES).instances if instance.id in answers
    }
    questions = {
        hashlib.sha256(path.read_bytes()).hexdigest(): name for name, path in pictures.items() if path
    }
    with ChatServer(answers, questions, behaviour).serving() as server:
        yield ["--base-url", server.base, "--cache", "none", "--model-jobs", "2"]


def run_recorded(part: Part, file: Path, workers_for_each_processor: int = _WORKERS) -> None:
    """Run a part, which is to pass, and record its verdicts in a file."""
    workers = str(min(len(part.files), workers_for_each_processor * len(os.sched_getaffinity(0))))
    command = [sys.executable, "-m", "pytest", *map(str, part.files), "-q", "-p", "no:cacheprovider"]
    command += ["-n", workers, "--dist", "loadfile", "-k", part.keyword]
    environment = {
        **_environment(),
        **part.variables,
        "I2S_TIMEOUT_FACTOR": str(TIMEOUT_FACTOR),
        VARIABLE: str(file),
    }
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-20_000:]


def evaluate(model: str, task: str, out: Path) -> None:
    """Evaluate a model of ``MODELS`` on the examples of a task, which is to succeed."""
    name, _ = MODELS[model]
    complete(evaluation(name, out, "--data", str(TASKS[task]), "--task", task), out)


def evaluation(model: str, out: Path, *more: str) -> list[str]:
    """Return the words of i2s-sdk that evaluate a model, with nothing taken from a cache.

    The busy machine is to render for itself what the quiet one has rendered.
    """
    words = ["evaluate", "--model", model, "--out", str(out), "--json", *more]
    return [*words, "--no-render-cache", "--no-score-cache"]


def complete(words: list[str], out: Path) -> None:
    """Run i2s-sdk to its end, which is to succeed.

    Args:
        words: Its arguments.
        out: The run folder that they name.
    """
    command = [sys.executable, "-m", "i2s_sdk.cli", *words]
    done = subprocess.run(command, env=environment(out), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]


def environment(out: Path) -> dict[str, str]:
    """Return the variables of an evaluation, which starts its services itself.

    Args:
        out: Its run folder.
    """
    found = {name: value for name, value in _environment().items() if not name.startswith("I2S_RENDER_")}
    # Services that are up on this machine are not used, and those of the run take their time.
    found["XDG_STATE_HOME"] = str(out.parent / f"{out.name} state")
    return found | {"I2S_START_SECONDS": _PATIENCE, "I2S_DEADLINE": _PATIENCE}


def run_records(run: Path) -> dict[str, dict[str, Any]]:
    """Return the records of a run by sample, less what the clock says."""
    return {run_line["id"]: run_line | {"seconds": None} for run_line in run_lines(run / RECORDS)}


def run_lines(file: Path) -> list[dict[str, Any]]:
    """Return the whole lines of a file of a run; none if it is not there."""
    text = file.read_text() if file.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def keep_verdicts(name: str, part: Part) -> None:
    """Record the verdicts of a part on the quiet machine, unless they are kept.

    If it fails, ``quiet_verdicts`` raises what it printed.
    """
    file = _folder() / f"{name.replace('/', ' ')}.jsonl"
    if not file.exists():
        draft = file.with_suffix(".draft")
        draft.write_text("")
        if _noted(file, lambda: run_recorded(part, draft, _QUIET_WORKERS)):
            draft.rename(file)


def _uninterrupted(model: str) -> str:
    return f"interrupt {model.replace('/', ' ')}"


def _keep_run(name: str, evaluate_to: Callable[[Path], None]) -> None:
    run = _folder() / name
    if FOLDER_VARIABLE not in os.environ:  # the code that decides a run is more than that of verdicts
        shutil.rmtree(run, ignore_errors=True)
    if not (run / RESULTS).exists():
        _noted(run, lambda: evaluate_to(run))


def _noted(result: Path, work: Callable[[], None]) -> bool:
    """Return whether work succeeds, and keep beside its result why it does not."""
    failure = _failure(result)
    failure.unlink(missing_ok=True)
    try:
        work()
    except AssertionError as error:
        failure.write_text(str(error))
        return False
    return True


def _passed(result: Path) -> Path:
    failure = _failure(result)
    if failure.exists():
        raise QuietRunError(f"it failed on the quiet machine:\n{failure.read_text()}")
    return result


def _failure(result: Path) -> Path:
    return result.with_name(f"{result.name} failed")


def _environment() -> dict[str, str]:
    """Return the environment without what xdist tells its processes: those of a part are others."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}


def _folder() -> Path:
    given = os.environ.get(FOLDER_VARIABLE)
    folder = Path(given) if given else ROOT / "build" / "verdicts" / _digest_of_code()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _digest_of_code() -> str:
    whole = hashlib.sha256()
    files = (file for folder in _CODE for file in (ROOT / folder).rglob("*.py") if "build" not in file.parts)
    for file in sorted(files):
        whole.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return whole.hexdigest()[:16]
