"""Names of data sets of Hugging Face."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.data.hub_name import HubName, parse_hub_name
from i2s_sdk.errors import UsageError


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("hf:stanford-crfm/i2s-latex", HubName("stanford-crfm/i2s-latex", "latex")),
        ("hf:stanford-crfm/i2s-musicsheet", HubName("stanford-crfm/i2s-musicsheet", "music")),
        (
            "hf:stanford-crfm/i2s-webpage/css@abc",
            HubName("stanford-crfm/i2s-webpage", "webpage", subsets=("css",), revision="abc"),
        ),
        ("hf:me/mine?task=latex", HubName("me/mine", "latex")),
        ("hf:/data/i2s-webpage", HubName("/data/i2s-webpage", "webpage", local=True)),
        ("hf:/data/copy?task=music", HubName("/data/copy", "music", local=True)),
    ],
)
def test_a_name_says_repository_subset_revision_and_task(name: str, found: HubName) -> None:
    assert parse_hub_name(name) == (found,)


@pytest.mark.parametrize("name", ["hf:i2s", "hf:image2struct"])
def test_the_whole_benchmark_has_a_name(name: str) -> None:
    assert [one.task for one in parse_hub_name(name)] == ["latex", "webpage", "music"]


def test_a_folder_of_the_working_folder_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my" / "latex-copy").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert parse_hub_name("hf:my/latex-copy")[0].local


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hf:", "hf:OWNER/NAME"),
        ("hf:i2s-latex", "hf:i2s is the whole benchmark"),
        ("hf:a/b/c/d", "hf:OWNER/NAME"),
        ("hf:me/mine", r"\?task=latex"),
        ("hf:me/mine?task=latx", "did you mean 'latex'"),
        ("hf:me/mine?tsk=latex", "hf:OWNER/NAME"),
    ],
)
def test_a_name_of_no_data_set_is_told(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_hub_name(name)
