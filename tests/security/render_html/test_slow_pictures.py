"""Pictures that cost a decoder more than they look."""

import io

import pytest
from PIL import Image

from i2s_chassis.limits import Limits
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="session")]


async def test_a_jpeg_of_many_scans_ends_in_a_verdict(attacked):
    output = io.BytesIO()
    Image.new("RGB", (1000, 1000), (200, 10, 40)).save(output, "JPEG", progressive=True)
    whole = output.getvalue()
    slow = whole[:-2] + whole[whole.rindex(b"\xff\xda") : -2] * 20_000 + whole[-2:]
    rendering = await attacked.show(
        "<img src=slow.jpg>",
        files=(File("slow.jpg", slow),),
        limits=Limits(
            cpu_seconds=3.0, wall_seconds=60.0, memory_bytes=1200 << 20, processes=400, disk_bytes=512 << 20
        ),
    )
    assert rendering.verdict in {Verdict.TIME_LIMIT, Verdict.RENDERED}
    assert rendering.usage.cpu_seconds < 6.0
