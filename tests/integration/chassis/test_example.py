"""The example in the README of the chassis is a working service."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path

import grpc
import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceStub

pytestmark = pytest.mark.integration

README = Path(__file__).parents[3] / "services/chassis/README.md"


async def test_example_of_the_readme_serves(tmp_path):
    blocks = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", README.read_text(), re.DOTALL)
    assert [name for name, _ in blocks] == ["__main__.py", "echo_servicer.py"]
    for name, text in blocks:
        (tmp_path / name).write_text(text)
    announce = tmp_path / "announce.json"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, tmp_path, "serve", "--listen", "127.0.0.1:0", "--announce", announce),
        env={**os.environ, "I2S_ECHO_LOG_FORMAT": "json"},
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(30):
            while json.loads(await process.stderr.readline())["message"] != "serving":
                pass
        async with grpc.aio.insecure_channel(json.loads(announce.read_text())["address"]) as channel:
            stub = RenderServiceStub(channel)
            request = pb.RenderRequest(id="a", latex=pb.LatexSource(document=b"x\x07"))
            answer = await stub.Render(request)
            assert (answer.id, answer.verdict, answer.message) == ("a", pb.VERDICT_NO_OUTPUT, "x\u2407")
            stream = stub.RenderStream()
            await stream.write(request)
            await stream.write(pb.RenderRequest(id="b", lilypond=pb.LilypondSource(score=b"c")))
            await stream.done_writing()
            items = {item.id: item async for item in stream}
            assert items["a"].response.verdict == pb.VERDICT_NO_OUTPUT
            assert items["b"].failure.code == grpc.StatusCode.INVALID_ARGUMENT.value[0]
            assert items["b"].failure.message.startswith("source: ")
    finally:
        process.terminate()
        assert await process.wait() == 0
