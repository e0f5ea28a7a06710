"""What callers of rewards must not be able to do: each has an answer that names the fault."""

from __future__ import annotations

import asyncio
import base64
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from i2s.render.v1 import render_pb2 as pb
from served_rewards import (
    drawn,
    draws_at_once,
    latex_gateway,
    picture,
    png_of,
    rewards_before,
    rewards_of,
    said,
)

DIGEST = "sha256:" + "0" * 64
IMAGE = base64.b64encode(png_of(Image.linear_gradient("L"))).decode()


def latex(**more: Any) -> dict[str, Any]:
    return {"completion": "$x$", **more}


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def bomb() -> str:
    """Return a small file that says it has 60000 x 60000 pixels."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 60000, 60000, 8, 0, 0, 0, 0))
    png = b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    return base64.b64encode(png).decode()


WRONG: list[tuple[str, Any, str]] = [
    ("no list", {"items": {}}, "items is no list"),
    ("nothing", {"items": []}, "items is no list"),
    ("a list", [], "the body is no object"),
    ("unknown field", {"items": [said("{}")], "wieghts": {}}, "did you mean weights?"),
    ("unknown field of an item", {"items": [said("{}", completions="x")]}, "'completions' in items[0]"),
    ("no answer", {"items": [{"task": "sobench"}]}, "neither: completion, messages"),
    ("two answers", {"items": [said("{}", messages=[])]}, "both: completion, messages"),
    ("a number as answer", {"items": [said(1)]}, "items[0].completion is no text"),
    ("messages without text", {"items": [{**said(None), "messages": [1]}]}, "items[0].messages"),
    ("unknown task", {"items": [said("{}", task="nothing")]}, "'nothing' has no rewards here"),
    ("task that is not served", {"items": [latex(task="music")]}, "'music' has no rewards here"),
    ("a number as task", {"items": [said("{}", task=1)]}, "items[0].task is no text"),
    ("negative weight", {"items": [said("{}")], "weights": {"fma": -1}}, "must not be negative"),
    ("unknown metric", {"items": [said("{}")], "weights": {"nothing": 1}}, "no metric is called 'nothing'"),
    ("unknown further metric", {"items": [said("{}")], "metrics": ["nothing"]}, "no metric is called"),
    ("failed of sobench", {"items": [said("{}")], "failed": -1}, "'failed' has no meaning for 'sobench'"),
    ("clip of sobench", {"items": [said("{}")], "clip": True}, "'clip' has no meaning for 'sobench'"),
    ("a text as weight", {"items": [said("{}")], "weights": {"fma": "1"}}, "weights.fma is no number"),
    ("a truth value as floor", {"items": [said("{}", floor=True)]}, "items[0].floor is no number"),
    ("deadline", {"items": [said("{}")], "deadline_seconds": 0}, "not above 0"),
    ("long name", {"items": [said("{}", id="x" * 257)]}, "items[0].id"),
    (
        "asset of another folder",
        {"items": [drawn(0, assets={"../../etc/passwd": IMAGE})]},
        "'../../etc/passwd'",
    ),
    ("asset with a root", {"items": [drawn(0, assets={"/etc/passwd": IMAGE})]}, "'/etc/passwd'"),
    ("asset with a zero", {"items": [drawn(0, assets={"a\0b": IMAGE})]}, "not a path inside"),
    ("asset that is not base64", {"items": [drawn(0, assets={"a": "é"})]}, "is not base64"),
]


@pytest.mark.parametrize(("body", "told"), [pytest.param(*row[1:], id=row[0]) for row in WRONG])
async def test_a_wrong_batch_is_refused_and_nothing_is_scored(body: Any, told: str) -> None:
    async with rewards_before(draws_at_once) as client:
        answer = await client.post("/v1/reward", json=body)
        assert answer.status_code == 400, answer.text
        assert told in answer.json()["error"]["message"]


NUMBERS = ["NaN", "Infinity", "1e999", "-Infinity"]


@pytest.mark.parametrize("number", NUMBERS)
async def test_numbers_that_are_none_are_refused(number: str) -> None:
    text = json.dumps({"items": [said("{}")], "failed": 7}).replace("7", number)
    async with rewards_of({}) as client:
        answer = await client.post("/v1/reward", content=text, headers={"Content-Type": "application/json"})
        assert (answer.status_code, "failed is no finite number" in answer.text) == (400, True)


async def test_deep_json_is_refused():
    deep = '{"items": ' + "[" * 100_000 + "]" * 100_000 + "}"
    async with rewards_of({}) as client:
        answer = await client.post("/v1/reward", content=deep, headers={"Content-Type": "application/json"})
        assert (answer.status_code, "nested" in answer.json()["error"]["message"]) == (400, True)


async def test_batches_and_bodies_that_are_too_large_are_refused():
    async with rewards_of({}, reward_items=2, body_bytes=3000, bodies_bytes=6000) as client:
        many = await client.post("/v1/reward", json={"items": [said("{}")] * 3})
        assert (many.status_code, "more than 2" in many.text) == (413, True)
        large = await client.post("/v1/reward", json={"items": [said("x" * 4000)]})
        assert large.status_code == 413
    async with rewards_of({}, reward_bytes=3000) as client:
        large = await client.post("/v1/reward", json={"items": [said("x" * 4000)]})
        assert (large.status_code, "send it in parts" in large.text) == (413, True)


async def test_pages_of_other_origins_and_forms_are_refused():
    async with rewards_of({}) as client:
        page = await client.post(
            "/v1/reward", json={"items": [said("{}")]}, headers={"Origin": "https://evil.example"}
        )
        assert page.status_code == 403
        assert "access-control-allow-origin" not in page.headers
        form = await client.post("/v1/reward", content="{}", headers={"Content-Type": "text/plain"})
        assert form.status_code == 415
        assert (await client.get("/v1/reward")).status_code == 405


async def test_uploads_have_to_be_images_within_bounds():
    async with rewards_before(draws_at_once) as client:
        for image, told in [
            (bomb(), "pixels"),
            (base64.b64encode(b"%!PS").decode(), "is not an image"),
            (IMAGE[: len(IMAGE) // 2 // 4 * 4], "damaged image"),
            ("no base64!", "is not base64"),
        ]:
            answer = await client.post("/v1/references", json={"references": [{"image": image}]})
            assert (answer.status_code, told in answer.json()["error"]["message"]) == (400, True), answer.text
        other = await client.post("/v1/references", json={"references": [{"path": "/etc/passwd"}]})
        assert other.status_code == 400
    async with rewards_before(draws_at_once, reference_bytes=100) as client:
        answer = await client.post("/v1/references", json={"references": [{"image": IMAGE}]})
        assert answer.status_code == 413


async def test_digests_name_the_uploads_of_the_caller_alone():
    mine, theirs = {"Authorization": "Bearer mine"}, {"Authorization": "Bearer theirs"}
    async with latex_gateway() as client:
        kept = await client.post("/v1/references", json={"references": [{"image": IMAGE}]}, headers=mine)
        (digest,) = kept.json()["digests"]
        items = [latex(completion="I'm sorry, I can't help with that.", reference={"digest": digest})]
        good = await client.post("/v1/reward", json={"items": items}, headers=mine)
        assert good.json()["items"][0]["value"] == 0.0, good.text
        items.append(latex(reference={"digest": DIGEST}))
        for headers, missing in ((mine, [DIGEST]), (theirs, [digest, DIGEST]), ({}, [digest, DIGEST])):
            answer = await client.post("/v1/reward", json={"items": items}, headers=headers)
            assert answer.status_code == 409
            assert answer.json()["error"]["missing"] == missing


@pytest.mark.parametrize("digest", ["sha256:0", DIGEST.upper(), f"{DIGEST}0", "../../etc/passwd", ""])
async def test_what_is_no_digest_is_refused(digest: str) -> None:
    async with latex_gateway() as client:
        answer = await client.post("/v1/reward", json={"items": [latex(reference={"digest": digest})]})
        assert (answer.status_code, "items[0].reference.digest" in answer.text) == (400, True)


async def test_a_reference_that_is_no_image_is_a_fault_of_the_data_of_its_item():
    refused = "I'm sorry, I can't help with that."
    async with latex_gateway() as client:
        items = [
            latex(completion=refused, reference={"image": image})
            for image in (bomb(), base64.b64encode(b"GIF89a").decode(), IMAGE)
        ]
        items.append(latex(reference={"instance": "../../etc/passwd"}))
        found = (await client.post("/v1/reward", json={"items": items})).json()["items"]
    assert [one["value"] for one in found] == [None, None, 0.0, None]
    assert [one["reason"] and one["reason"]["fault"] for one in found] == ["data", "data", None, "data"]


async def test_more_than_may_wait_are_sent_away_with_the_time_to_come_back():
    go = asyncio.Event()
    begun = asyncio.Event()

    async def waits(request: pb.RenderRequest, context: Any) -> pb.RenderResponse:
        if request.WhichOneof("source"):
            begun.set()
            await go.wait()
        return picture()

    async with rewards_before(waits, reward_waiting=8) as client:
        first = asyncio.create_task(client.post("/v1/reward", json={"items": [drawn(at) for at in range(4)]}))
        await asyncio.wait_for(begun.wait(), 10)
        again = await client.post("/v1/reward", json={"items": [drawn(9)]})
        assert (again.status_code, again.json()["error"]["status"]) == (429, "RESOURCE_EXHAUSTED")
        assert int(again.headers["Retry-After"]) >= 1
        other = {"Authorization": "Bearer other"}
        taken = asyncio.create_task(client.post("/v1/reward", json={"items": [drawn(9)]}, headers=other))
        go.set()
        assert (await taken).status_code == (await first).status_code == 200
        assert (await client.post("/v1/reward", json={"items": [drawn(9)]})).status_code == 200


async def test_a_fault_of_the_data_of_the_gateway_names_the_instance_and_no_file(tmp_path: Path) -> None:
    data = tmp_path / "secret"
    (data / "a").mkdir(parents=True)
    (data / "a/x.png").write_bytes(b"GIF89a")
    (data / "a/x.tex").write_text("$x$")
    row = {"id": "x", "task": "latex", "subset": "equation", "image": "a/x.png", "structure": "a/x.tex"}
    (data / "instances.jsonl").write_text(json.dumps(row) + "\n")
    async with latex_gateway(reward_data=str(data)) as client:
        items = [latex(reference={"instance": name}) for name in ("x", "y")]
        first = (await client.post("/v1/reward", json={"items": items})).json()["items"]
        (data / "a/x.png").unlink()
        second = (await client.post("/v1/reward", json={"items": items})).json()["items"]
    told = [one["reason"]["message"] for one in (*first, *second)]
    assert [one["reason"]["fault"] for one in (*first, *second)] == ["data"] * 4
    assert "secret" not in "".join(told)
    assert told[0].startswith("instance 'x': the reference")
    assert told[2].startswith("instance 'x': cannot be read")
    assert "no instance 'y'" in told[1]
    (data / "instances.jsonl").write_text("[]\n")
    async with latex_gateway(reward_data=str(data)) as client:
        (broken,) = (await client.post("/v1/reward", json={"items": items[:1]})).json()["items"]
    assert broken["reason"]["message"].startswith("the data of the gateway:1: ")
