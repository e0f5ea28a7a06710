"""A thousand calls at once: nothing fails, and memory stays where it was."""

import asyncio
from pathlib import Path

import pytest

from i2s_client.metrics import AsyncMetricsClient
from i2s_client.retry import RetryPolicy

pytestmark = pytest.mark.integration

CALLS = 1000
METRICS = ("ems", "pixel", "ssim")
MIB = 1024 * 1024


def peak_bytes(process):
    """The most memory that a process ever had resident."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


@pytest.mark.nightly(instead="thousands of calls at once of a service of the chassis, in test_calls.py")
async def test_a_thousand_calls_at_once_are_all_answered_in_bounded_memory(serve, image):
    reference = image("images/eq_0.png").data
    predictions = [image(f"images/{name}.png").data for name in ("eq_0", "eq_1", "eq_5")]
    async with serve("--slots", "2", "--queue", "64") as service:
        # The policy of the SDK, which waits as long as the service asks; only its patience is that of a test.
        policy = RetryPolicy(total_seconds=250)
        async with AsyncMetricsClient(service.address, retry=policy, deadline=250) as client:
            one = [await client.score(reference, p, metrics=METRICS) for p in predictions]
            before = sum(peak_bytes(process) for process in (service.process.pid, *service.workers()))
            answers = await asyncio.gather(
                *(client.score(reference, predictions[place % 3], metrics=METRICS) for place in range(CALLS))
            )
        after = sum(peak_bytes(process) for process in (service.process.pid, *service.workers()))
    expected = [[result.value for result in score.results] for score in one]
    for place, answer in enumerate(answers):
        assert [result.value for result in answer.results] == expected[place % 3]
    assert after - before < 150 * MIB
    assert after < 1000 * MIB
