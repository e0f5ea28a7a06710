"""An option that a kind of import would not look at is an error."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.data.imports.items import ImportRequest
from i2s_sdk.data.imports.registry import KINDS, import_data
from i2s_sdk.errors import UnknownNameError, UsageError


class Reader:
    """Stands for a reader of images, which nothing here asks."""

    engine = "none"

    def read(self, content: bytes) -> Any:
        raise AssertionError


OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "task": {"tasks": ("other",)},
    "images": {"images": Path("images")},
    "ocr": {"ocr": Reader()},
}
TAKEN = {
    "task": {"chartmimic", "plot2code", "design2code", "design2code_hard", "visualwebbench"},
    "images": {"omnidocbench", "sobench", "svg"},
    "ocr": {"design2code", "design2code_hard"},
}


@pytest.mark.parametrize(
    ("option", "kind"), [(option, kind) for option in OPTIONS for kind in KINDS if kind not in TAKEN[option]]
)
def test_what_a_kind_does_not_take_is_refused_before_anything_is_read(
    tmp_path: Path, option: str, kind: str
) -> None:
    request = ImportRequest((str(tmp_path / "absent"),), tmp_path / "out", **OPTIONS[option])
    with pytest.raises(UsageError, match=f"{kind} takes no --{option}; leave it out"):
        import_data(kind, request)
    assert not (tmp_path / "out").exists()


def test_a_kind_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError):
        import_data("nothing-such", ImportRequest(("a.jsonl",), tmp_path / "out"))
