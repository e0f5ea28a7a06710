"""The recorded values of the reference implementation, through the running service."""

import asyncio

import pytest

from i2s.metrics.v1 import metrics_pb2 as pb

pytestmark = [pytest.mark.integration, pytest.mark.fidelity]

POLICIES = {"padding": pb.SIZE_POLICY_PAD, "resize": pb.SIZE_POLICY_RESIZE}
TOLERANCE = {"ems": 1e-4, "block_emd": 1e-4, "ssim": 1e-6, "pixel": 1e-9}


def asked(row, image):
    return pb.ScoreRequest(
        id=row["name"],
        reference=image(row["reference"]),
        prediction=image(row["prediction"]),
        size_policy=POLICIES[row["size_handling"]],
        profile=pb.PROFILE_HELM,
    )


def check(row, response):
    values = {result.name: result.value for result in response.results}
    (ems,) = (result for result in response.results if result.name == "ems")
    values["block_emd"] = ems.parts["block_emd"]
    recorded = {name: row["pixel_similarity" if name == "pixel" else name] for name in values}
    for name, value in values.items():
        assert value == pytest.approx(recorded[name], abs=TOLERANCE[name]), (row["name"], name)
    assert response.id == row["name"]
    assert response.profile == pb.PROFILE_HELM


async def test_single_calls_give_the_recorded_values(serve, rows, image):
    async with serve() as service:
        for row in rows:
            check(row, await service.stub.Score(asked(row, image), timeout=60))


async def test_a_stream_gives_the_recorded_values_in_any_order(serve, rows, image):
    async with serve() as service:
        stream = service.stub.ScoreStream(timeout=120)

        async def send():
            for row in rows:
                await stream.write(asked(row, image))
            await stream.done_writing()

        sending = asyncio.create_task(send())
        answers = {answer.id: answer.response async for answer in stream}
        await sending
    assert len(answers) == len(rows)
    for row in rows:
        check(row, answers[row["name"]])
