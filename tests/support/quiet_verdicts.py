"""Runs parts of the security suite with their verdicts recorded; those of a quiet machine are kept.

They are kept in build/verdicts, for each state of the code anew, or in the folder that I2S_QUIET_VERDICTS
names, which holds for any state of the code.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from load_parts import ROOT, TIMEOUT_FACTOR, Part

from recorded_verdicts import VARIABLE

FOLDER_VARIABLE = "I2S_QUIET_VERDICTS"
#: What decides verdicts: the products under attack and the attacks.
_CODE = ("protos", "services", "tests/security", "tests/support")
#: Test processes for each processor. With one, the suite would take hours beside what keeps the machine busy.
_WORKERS = 4
_QUIET_WORKERS = 1


def quiet_file(name: str) -> Path:
    """Return where the verdicts of a part on a quiet machine are kept; the file may not be there yet."""
    given = os.environ.get(FOLDER_VARIABLE)
    folder = Path(given) if given else ROOT / "build" / "verdicts" / _digest_of_code()
    return folder / f"{name.replace('/', ' ')}.jsonl"


def quiet_verdicts(name: str, part: Part) -> Path:
    """Return the file with the verdicts of a part on a quiet machine; runs the part unless they are kept."""
    file = quiet_file(name)
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(".draft")
        draft.write_text("")
        run_recorded(part, draft, _QUIET_WORKERS)
        draft.rename(file)
    return file


def run_recorded(part: Part, file: Path, workers_for_each_processor: int = _WORKERS) -> None:
    """Run a part, which is to pass, and record its verdicts in a file."""
    workers = str(min(len(part.files), workers_for_each_processor * len(os.sched_getaffinity(0))))
    command = [sys.executable, "-m", "pytest", *map(str, part.files), "-q", "-p", "no:cacheprovider"]
    command += ["-n", workers, "--dist", "loadfile", "-k", part.keyword]
    environment = {
        **os.environ,
        **part.variables,
        "I2S_TIMEOUT_FACTOR": str(TIMEOUT_FACTOR),
        VARIABLE: str(file),
    }
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-20_000:]


def _digest_of_code() -> str:
    whole = hashlib.sha256()
    files = (file for folder in _CODE for file in (ROOT / folder).rglob("*.py") if "build" not in file.parts)
    for file in sorted(files):
        whole.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return whole.hexdigest()[:16]
