"""Batches as they are read: what counts towards their size, and how often uploads are asked for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from i2s_gateway.guard import GatewayError
from i2s_gateway.references import digest_of
from i2s_gateway.reward_items import BatchReader, ItemBounds, MissingReferencesError, RewardBatch
from i2s_sdk.errors import DataError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.tasks.registry import open_task

FILES = {digest_of(bytes([number]) * 100): bytes([number]) * 100 for number in range(5)}


class Uploads:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def get(self, digest: str) -> bytes | None:
        self.asked.append(digest)
        return FILES.get(digest)


def no_instance(name: str) -> Instance:
    raise DataError("the data of the gateway", 0, f"holds no instance {name!r}")


def read(uploads: Uploads, *items: dict[str, Any], most: int = 1000) -> RewardBatch:
    bounds = ItemBounds(items=1000, seconds=60.0, size=most)
    reader = BatchReader({"latex": open_task("latex")}, bounds, uploads.get, no_instance)
    return reader.read(json.dumps({"items": items}).encode())


def latex(digest: str) -> dict[str, Any]:
    return {"completion": "$x$", "reference": {"digest": digest}}


def test_an_upload_that_items_name_counts_once() -> None:
    first, second, *_ = FILES
    batch = read(Uploads(), latex(first), latex(first), latex(second))
    assert batch.size == 2 * 100 + 3 * len("$x$")


def test_uploads_are_read_no_further_than_a_caller_may_have() -> None:
    uploads = Uploads()
    with pytest.raises(GatewayError) as refused:
        read(uploads, *map(latex, FILES), most=250)
    assert refused.value.http == 413
    assert uploads.asked == list(FILES)[:3]


def test_a_missing_upload_is_asked_for_once() -> None:
    uploads, missing = Uploads(), digest_of(b"missing")
    with pytest.raises(MissingReferencesError) as refused:
        read(uploads, *[latex(missing)] * 9)
    assert (refused.value.more, uploads.asked) == ({"missing": [missing]}, [missing])
