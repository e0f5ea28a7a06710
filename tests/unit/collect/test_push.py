"""A published data set is uploaded when somebody says so, whole, and never over an earlier month."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fake_hub import FakeHub, fake_hub
from i2s_sdk.cli.main import run


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with fake_hub() as found:
        yield found


@pytest.fixture
def published(tmp_path: Path) -> Path:
    folder = tmp_path / "published"
    (folder / "css").mkdir(parents=True)
    for name in ("README.md", "croissant.json", "recipes.jsonl", "held-back.jsonl"):
        (folder / name).write_text(f"content of {name}\n")
    (folder / "css" / "validation-00000-of-00001.parquet").write_bytes(b"PAR1 rows PAR1")
    return folder


def push(hub: FakeHub, folder: Path, *words: str, token: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own: the package reads its endpoint when it is imported."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))},
        "HF_ENDPOINT": hub.url,
        "HF_TOKEN": token or hub.token,
        "HF_HOME": str(folder.parent / "hf"),
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }
    command = [sys.executable, "-m", "i2s_sdk.cli", "dataset", "push", str(folder), *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_without_yes_nothing_is_sent(hub: FakeHub, published: Path) -> None:
    done = push(hub, published, "--name", "me/pages", "--tag", "2026-10")
    assert done.returncode == 0, done.stderr
    assert (
        "5 files would be uploaded to me/pages, private if new, tag 2026-10; nothing was sent" in done.stdout
    )
    assert hub.log == []


@pytest.mark.slow
def test_a_month_is_uploaded_whole_private_and_tagged_and_none_is_replaced(
    hub: FakeHub, published: Path
) -> None:
    (published / "css" / "notes").mkdir()
    done = push(hub, published, "--name", "me/pages", "--tag", "2026-10", "--yes", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["url"].startswith(hub.url)
    wanted = {
        path.relative_to(published).as_posix(): path.read_bytes()
        for path in published.rglob("*")
        if path.is_file()
    }
    assert hub.files == {"me/pages": wanted}
    assert hub.private == {"me/pages": True}
    assert set(hub.tags["me/pages"]) == {"2026-10"}

    again = push(hub, published, "--name", "me/pages", "--tag", "2026-10", "--yes")
    assert again.returncode == 2
    assert "me/pages has the tag 2026-10 already; name another one" in again.stderr

    (published / "css").rename(published / "html")
    more = push(hub, published, "--name", "me/pages", "--tag", "2026-11", "--yes")
    assert more.returncode == 0, more.stderr
    assert "html/validation-00000-of-00001.parquet" in hub.files["me/pages"]
    assert "css/validation-00000-of-00001.parquet" not in hub.files["me/pages"]


def test_a_refusal_of_the_hub_is_one_line(hub: FakeHub, published: Path) -> None:
    done = push(hub, published, "--name", "me/pages", "--yes", token="hf_wrong")
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: me/pages: the Hub does not take it: ")
    assert "hf_wrong" not in done.stderr + done.stdout
    assert hub.files == {}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--name", "pages"], "'pages' is no name on the Hub, such as me/pages-2026-10"),
        (["--name", "me/../pages"], "is no name on the Hub"),
        (["--name", "me/pages", "--tag", "a b"], "'a b' is no tag, such as 2026-10"),
        (["--name", "me/pages", "--yes", "--dry-run"], "--yes and --dry-run exclude each other"),
    ],
)
def test_wrong_use_is_one_line(
    published: Path, capsys: pytest.CaptureFixture[str], words: list[str], why: str
) -> None:
    assert run(["dataset", "push", str(published), *words]) == 2
    assert why in capsys.readouterr().err


def test_a_folder_of_something_else_is_refused(published: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (published / "secrets.txt").write_text("mine")
    assert run(["dataset", "push", str(published), "--name", "me/pages"]) == 2
    assert "also holds secrets.txt, which `i2s-sdk dataset publish` did not write" in capsys.readouterr().err
    (published / "secrets.txt").unlink()
    (published / "croissant.json").unlink()
    assert run(["dataset", "push", str(published), "--name", "me/pages"]) == 2
    assert "was not written by `i2s-sdk dataset publish`" in capsys.readouterr().err
