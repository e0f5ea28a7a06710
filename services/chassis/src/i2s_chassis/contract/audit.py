"""What the log says of every call and item of a renderer; a part of ``suite``."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import AsyncIterator
from typing import Any

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract.process import all_lines
from i2s_chassis.contract.renderer import Source
from i2s_chassis.contract.running import Running


class AuditContract:
    """The test; see ``suite.RendererContract``."""

    async def test_the_log_has_the_digest_and_the_verdict_of_each_call_and_item(
        self, running: Running
    ) -> None:
        renderer = running.renderer
        jobs = [(renderer.good_source, int(pb.VERDICT_RENDERED)), renderer.broken]
        request_id = f"audit-{secrets.token_hex(8)}"
        metadata = (("x-request-id", request_id),)

        async def items() -> AsyncIterator[pb.RenderRequest]:
            for number, (source, _) in enumerate(jobs):
                yield renderer.request(source, id=str(number))

        for source, _ in jobs:
            await running.stub.Render(renderer.request(source), metadata=metadata)
        assert len([one async for one in running.stub.RenderStream(items(), metadata=metadata)]) == len(jobs)
        # The line is written before the answer of a call or an item is sent.
        lines = [line for line in all_lines(running.process.log) if line.get("request_id") == request_id]
        expected = sorted(
            (
                hashlib.sha256(_text_of(source)).hexdigest(),
                pb.Verdict.Name(pb.Verdict.ValueType(verdict)).removeprefix("VERDICT_"),
            )
            for source, verdict in jobs
        )
        for message in ("call", "item"):
            found = [line for line in lines if line["message"] == message and "verdict" in line]
            assert sorted((one["source_sha256"], str(one["verdict"]).upper()) for one in found) == expected, (
                lines
            )


def _text_of(source: Source) -> bytes:
    """Return the bytes of a source whose digest is in the log.

    Those of a source that is a text are that. Those of a generic source are the file that is rendered, those
    of a site its files one after the other: the lengths of name and content, the name, the content.
    """
    fields: dict[str, Any] = {field.name: value for field, value in source.ListFields()}
    for value in fields.values():
        if isinstance(value, bytes):
            return value
    files = {file.path: file.content for file in fields["files"]}
    if "entry" in fields:
        return files[fields["entry"]]
    return b"".join(
        f"{len(path)} {len(content)} {path}".encode() + content for path, content in files.items()
    )
