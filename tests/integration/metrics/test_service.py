"""The running service: what it answers to good, bad and hostile requests, and what it survives."""

import asyncio
import hashlib
import io
import math
import os
import signal
import struct
import zlib
from pathlib import Path

import grpc
import pytest
from PIL import Image

from busy_machine import crowded_processor
from i2s.metrics.v1 import metrics_pb2 as pb
from i2s_chassis.contract.process import all_lines
from i2s_wire.bounds import PICTURE_BYTES, PICTURE_PIXELS

pytestmark = pytest.mark.integration

UNAVAILABLE, UNDEFINED, BAD_IMAGE = range(1, 4)
PATIENCE = 60


@pytest.fixture
def request_of(image):
    def make(prediction="images/eq_1.png", reference="images/eq_0.png", **fields):
        return pb.ScoreRequest(
            **{"id": "1", "reference": image(reference), "prediction": image(prediction), **fields}
        )

    return make


@pytest.fixture
def slow(request_of):
    """Some tenths of a second of work."""
    return request_of("images/page_blank.png", metrics=["ssim", "ems", "pixel"])


@pytest.fixture(scope="module")
def slower():
    """Some seconds of work, which no call with a deadline of tenths of a second lives to see."""
    return noise_request(4_000)


def encoded(picture):
    data = io.BytesIO()
    picture.save(data, "PNG")
    return data.getvalue()


def noise_request(side):
    """A comparison of two black and white noises of side × side pixels."""
    noise = [Image.effect_noise((side, side), 200).point(lambda one: one > 127, "1") for _ in range(2)]
    reference, prediction = map(encoded, noise)
    assert max(len(reference), len(prediction)) < PICTURE_BYTES
    return pb.ScoreRequest(
        id="1",
        reference=pb.Image(data=reference),
        prediction=pb.Image(data=prediction),
        metrics=["ssim", "ems", "pixel"],
    )


def bomb(width, height):
    """A PNG that claims this size in its header and has next to nothing behind it."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(bytes(10_000_000), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


async def refused(call):
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value.code(), caught.value.details()


async def until(condition, seconds=PATIENCE):
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.02)


def cpu_seconds(process):
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def test_an_answer_says_what_its_values_mean(serve, request_of):
    request = request_of(size_policy=pb.SIZE_POLICY_PAD)
    async with serve() as service:
        response = await service.stub.Score(request)
    names = ["ems", "pixel", "exact", "ssim", "ems_scaled", "ssim_scaled"]
    assert [result.name for result in response.results] == names
    ems = response.results[0]
    assert ems.value == pytest.approx(1 - ems.parts["block_emd"] / ems.parts["denominator"])
    assert (ems.lower_bound, ems.upper_bound, ems.direction, ems.version) == (0, 1, 1, "2")
    assert response.reference_sha256 == hashlib.sha256(request.reference.data).hexdigest()
    assert response.prediction_sha256 == hashlib.sha256(request.prediction.data).hexdigest()
    assert (response.profile, response.size_policy) == (pb.PROFILE_PAPER, pb.SIZE_POLICY_PAD)
    assert (response.width, response.height) == (646, 82)
    assert response.cpu_seconds > 0
    assert response.wall_seconds > 0


async def test_the_log_has_the_digest_of_the_prediction_and_what_its_comparison_cost(
    serve, request_of, tmp_path: Path
) -> None:
    request = request_of(metrics=["pixel"])
    async with serve() as service:
        cost = (await service.stub.Score(request)).cpu_seconds
        assert [one.id async for one in service.stub.ScoreStream(iter([request]))] == ["1"]
        lines = {line["message"]: line for line in all_lines(tmp_path / "log") if "verdict" in line}
    digest = hashlib.sha256(request.prediction.data).hexdigest()
    assert {message: (line["source_sha256"], line["verdict"]) for message, line in lines.items()} == {
        "call": (digest, "scored"),
        "item": (digest, "scored"),
    }
    assert lines["call"]["cpu_seconds"] == pytest.approx(cost, abs=1e-6)
    assert lines["item"]["cpu_seconds"] > 0


async def test_describe_lists_every_definition(serve):
    async with serve("--slots", "1") as service:
        answer = await service.stub.Describe(pb.DescribeRequest())
    assert (answer.service, answer.device, answer.slots) == ("metrics", "cpu", 1)
    assert {"numpy", "scipy", "pillow", "numba"} == set(answer.versions)
    by_name = {(metric.name, profile): metric for metric in answer.metrics for profile in metric.profiles}
    both = {(name, p) for name in ("ems", "pixel", "ssim", "lpips", "cis") for p in (1, 2)}
    ours = {(name, pb.PROFILE_PAPER) for name in ("exact", "ems_scaled", "ssim_scaled")}
    assert set(by_name) == both | ours
    assert by_name["ems", pb.PROFILE_HELM].lower_bound == -math.inf
    assert list(by_name["ems", pb.PROFILE_PAPER].parts) == ["block_emd", "denominator"]
    unavailable = {name for (name, _), metric in by_name.items() if not metric.available}
    assert unavailable == {"lpips", "cis"}
    assert all(metric.unavailable_reason for metric in answer.metrics if not metric.available)


async def test_bad_requests_and_bad_pictures_are_told_apart(serve, request_of, image):
    async with serve() as service:
        score = service.stub.Score
        code, details = await refused(score(request_of(metrics=["sim"])))
        assert (code, "did you mean ssim" in details) == (grpc.StatusCode.INVALID_ARGUMENT, True)
        code, details = await refused(score(request_of(profile=7)))
        assert (code, details.startswith("profile")) == (grpc.StatusCode.INVALID_ARGUMENT, True)

        truncated = request_of()
        truncated.prediction.data = truncated.prediction.data[:3000]
        truncated.metrics.extend(["ssim", "cis"])
        results = (await score(truncated)).results
        assert [result.failure.kind for result in results] == [BAD_IMAGE, BAD_IMAGE]

        (cis,) = (await score(request_of(metrics=["cis"]))).results
        assert cis.WhichOneof("outcome") == "failure"
        assert cis.failure.kind == UNAVAILABLE


async def test_image_bombs_are_refused_before_they_cost_anything(serve, request_of):
    async with serve("--slots", "1") as service:
        for size in [(60_000, 60_000), (5001, 5000), (2**31 - 1, 2**31 - 1)]:
            request = request_of(metrics=["ems"])
            request.prediction.data = bomb(*size)
            response = await service.stub.Score(request)
            assert response.results[0].failure.kind == BAD_IMAGE
            assert response.cpu_seconds < 0.2
        (worker,) = service.workers()
        peak = next(
            line for line in Path(f"/proc/{worker}/status").read_text().splitlines() if "VmHWM" in line
        )
        assert int(peak.split()[1]) < 400_000


def many_scans(more):
    """A progressive JPEG that repeats its last scan."""
    output = io.BytesIO()
    Image.new("RGB", (2000, 2000), (200, 10, 40)).save(output, "JPEG", progressive=True)
    whole = output.getvalue()
    return whole[:-2] + whole[whole.rindex(b"\xff\xda") : -2] * more + whole[-2:]


@pytest.mark.parametrize("field", ["reference", "prediction"])
async def test_a_jpeg_of_many_scans_is_a_bad_image(serve, request_of, field):
    async with serve() as service:
        request = request_of(metrics=["pixel"])
        getattr(request, field).data = many_scans(20_000)
        answer = await service.stub.Score(request)
        (result,) = answer.results
        assert result.failure.kind == BAD_IMAGE
        assert f"{field}: a JPEG file of more than 100 scans" in result.failure.message
        assert answer.cpu_seconds < 1


async def test_a_picture_of_too_many_bytes_is_refused(serve, request_of):
    async with serve("--max-image-bytes", "4KiB") as service:
        code, details = await refused(service.stub.Score(request_of()))
    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert "--max-image-bytes" in details


async def test_a_stream_sends_its_reference_once(serve, image):
    reference = image("images/tab_0.png")
    named = pb.Image(sha256=hashlib.sha256(reference.data).hexdigest())
    names = ["tab_0", "tab_1", "tab_3", "tab_shift1"]
    async with serve() as service:
        stream = service.stub.ScoreStream()
        for place, name in enumerate(names):
            await stream.write(
                pb.ScoreRequest(
                    id=name,
                    reference=named if place else reference,
                    prediction=image(f"images/{name}.png"),
                    metrics=["ems"],
                )
            )
        await stream.done_writing()
        answers = {answer.id: answer async for answer in stream}
    values = [answers[name].response.results[0].value for name in names]
    assert values == sorted(values, reverse=True)
    assert values[0] == 1
    assert {answer.response.reference_sha256 for answer in answers.values()} == {named.sha256}


async def test_a_stream_fails_items_and_not_itself(serve, request_of):
    unknown = request_of(id="unknown")
    unknown.reference.sha256 = "0" * 64
    async with serve() as service:
        stream = service.stub.ScoreStream()
        for request in (
            unknown,
            request_of(id="wrong", metrics=["nothing"]),
            request_of(id="good", metrics=["ssim"]),
        ):
            await stream.write(request)
        await stream.done_writing()
        answers = {answer.id: answer async for answer in stream}
    assert answers["unknown"].failure.code == grpc.StatusCode.NOT_FOUND.value[0]
    assert answers["wrong"].failure.code == grpc.StatusCode.INVALID_ARGUMENT.value[0]
    assert answers["good"].response.results[0].value < 1


async def test_a_killed_worker_is_unavailable_and_the_next_call_gets_the_value(serve, slower):
    async with serve("--slots", "1") as service:
        expected = (await service.stub.Score(slower)).results[0].value
        (worker,) = service.workers()
        spent = cpu_seconds(worker)
        call = service.stub.Score(slower)
        call_ended = asyncio.ensure_future(refused(call))
        await until(lambda: cpu_seconds(worker) > spent)
        os.kill(worker, signal.SIGKILL)
        code, _ = await call_ended
        assert code == grpc.StatusCode.UNAVAILABLE
        assert (await service.stub.Score(slower)).results[0].value == expected
        assert service.workers().isdisjoint({worker})


@pytest.mark.parametrize("way", ["cancel", "deadline"])
async def test_a_call_given_up_leaves_no_work_behind(serve, slower, way):
    async with serve("--slots", "1") as service:
        (worker,) = service.workers()
        spent = cpu_seconds(worker)
        call = service.stub.Score(slower, timeout=0.3 if way == "deadline" else None)
        waiting = asyncio.ensure_future(asyncio.wait({asyncio.ensure_future(call.code())}))
        await until(lambda: not Path(f"/proc/{worker}").exists() or cpu_seconds(worker) > spent)
        if way == "cancel":
            call.cancel()
        await until(lambda: worker not in service.workers())  # one that has finished stays
        await waiting
        expected = grpc.StatusCode.CANCELLED if way == "cancel" else grpc.StatusCode.DEADLINE_EXCEEDED
        assert await call.code() == expected
        assert (await service.stub.Score(slower)).results[0].WhichOneof("outcome") == "value"


async def test_a_comparison_that_takes_too_long_is_ended(serve, slower):
    async with serve("--slots", "1", "--limit-wall-seconds", "60", "--limit-cpu-seconds", "60") as service:
        assert (await service.stub.Score(slower)).results
    async with serve("--slots", "1", "--limit-wall-seconds", "0.2", "--limit-cpu-seconds", "0.2") as service:
        code, details = await refused(service.stub.Score(slower))
        assert code == grpc.StatusCode.DEADLINE_EXCEEDED
        assert "--limit-wall-seconds" in details


async def test_a_machine_that_keeps_a_comparison_waiting_does_not_end_it(serve, slow):
    async with serve("--slots", "1") as service:
        await service.stub.Score(slow)
        limit = f"{4 * (await service.stub.Score(slow)).cpu_seconds:.3f}"
    async with serve("--slots", "1", "--limit-wall-seconds", limit) as service:
        (worker,) = service.workers()
        with crowded_processor(worker, 15):
            response = await service.stub.Score(slow)
        assert response.wall_seconds > float(limit)  # otherwise nothing was kept waiting
        assert [result.WhichOneof("outcome") for result in response.results] == ["value"] * 3


async def test_the_largest_picture_that_a_renderer_delivers_has_a_value_long_before_the_limit(serve):
    request = noise_request(math.isqrt(PICTURE_PIXELS))
    async with serve("--slots", "1", "--limit-wall-seconds", "30") as service:  # a quarter of the default
        response = await service.stub.Score(request)
        assert [result.WhichOneof("outcome") for result in response.results] == ["value"] * 3


async def test_termination_finishes_what_runs_and_leaves_no_process(serve, slow):
    async with serve("--slots", "1") as service:
        (worker,) = service.workers()
        spent = cpu_seconds(worker)
        call = service.stub.Score(slow)
        answering = asyncio.ensure_future(call.code())
        await until(lambda: cpu_seconds(worker) > spent)
        ended = asyncio.create_task(service.stop())
        assert await answering == grpc.StatusCode.OK
        assert await ended == 0
        await until(lambda: not Path(f"/proc/{worker}").exists())


async def test_workers_end_with_a_service_that_is_killed(serve):
    async with serve() as service:
        workers = service.workers()
        assert workers
        service.process.kill()
        await until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))


async def test_all_slots_compute_at_once(serve, slower):
    async with serve("--slots", "2", "--queue", "8") as service:
        answers = await asyncio.gather(*(service.stub.Score(slower) for _ in range(6)))
        assert len({answer.results[0].value for answer in answers}) == 1
        assert all(cpu_seconds(worker) > 0.5 for worker in service.workers())
