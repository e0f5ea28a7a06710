"""LPIPS with its real weights through the running service, and what happens where they are not."""

import asyncio
import hashlib
import io
import os
import signal
import warnings
from pathlib import Path

import grpc
import numpy as np
import pytest
import pytest_asyncio
from PIL import Image

from i2s.metrics.v1 import metrics_pb2 as pb
from i2s_metrics.networks import files

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="module")]

NAMES = ["ems", "pixel", "exact", "ssim", "ems_scaled", "ssim_scaled"]
EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "references").glob("*.png"))
UNAVAILABLE = 1
PATIENCE = 250
#: Threads that wait for each other take very long on a machine with other work.
ONE_THREAD = ("--torch-threads", "1")
#: Pairs of the recorded set: prediction and reference, padded or resized.
PAIRS = [
    ("eq_1", "eq_0", pb.SIZE_POLICY_PAD),
    ("tab_1", "tab_0", pb.SIZE_POLICY_PAD),
    ("page_blank", "eq_0", pb.SIZE_POLICY_PAD),
    ("tab_3", "eq_0", pb.SIZE_POLICY_RESIZE),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def service(serve_in, weights_dir, tmp_path_factory):
    """One service for the tests that only ask, with more calls under way than processes."""
    batches = ("--slots", "16", "--workers", "2", "--batch-size", "8", "--batch-wait-ms", "20", *ONE_THREAD)
    async with serve_in(
        tmp_path_factory.mktemp("service"), "--weights-dir", str(weights_dir), *batches
    ) as running:
        yield running


@pytest.fixture
def request_of(image):
    def make(prediction, reference, policy=pb.SIZE_POLICY_PAD, metrics=("lpips",), **fields):
        return pb.ScoreRequest(
            id=prediction,
            prediction=image(f"images/{prediction}.png"),
            reference=image(f"images/{reference}.png"),
            size_policy=policy,
            metrics=metrics,
            **fields,
        )

    return make


_TORCHMETRICS = pytest.param(
    "torchmetrics",
    marks=pytest.mark.nightly(instead="the same with lpips, whose network torchmetrics holds too"),
)


@pytest.fixture(scope="module", params=["lpips", _TORCHMETRICS])
def oracle(request, weights_dir):
    """1 - LPIPS of a request by another package with the same convolutions, from the file to the value."""
    import torch
    from torch import nn

    from i2s_metrics.networks.feature_networks import declare_missing_operators

    torch.set_num_threads(1)
    declare_missing_operators()
    from torchvision import transforms

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if request.param == "lpips":
            network = pytest.importorskip("lpips").LPIPS(net="vgg", pnet_rand=True, verbose=False).eval()
        else:
            module = pytest.importorskip("torchmetrics.functional.image.lpips")
            network = module._LPIPS(pretrained=True, net="vgg", pnet_rand=True).eval()
    with np.load(weights_dir / files.CONVERTED_VGG16.name) as weights:
        for part in network.net.children():
            for place, layer in part.named_children():
                if isinstance(layer, nn.Conv2d):
                    layer.weight.data = torch.from_numpy(weights[f"features.{place}.weight"])
                    layer.bias.data = torch.from_numpy(weights[f"features.{place}.bias"])
    tensor = transforms.Compose(
        [transforms.Resize((256, 256)), transforms.ToTensor(), transforms.Normalize((0.5,) * 3, (0.5,) * 3)]
    )

    def value(asked):
        pictures = [
            Image.open(io.BytesIO(p.data)).convert("RGB") for p in (asked.prediction, asked.reference)
        ]
        if asked.size_policy == pb.SIZE_POLICY_RESIZE:
            pictures[0] = pictures[0].resize(pictures[1].size, Image.Resampling.BICUBIC)
        else:
            size = tuple(max(sides) for sides in zip(*(picture.size for picture in pictures), strict=True))
            padded = [Image.new("RGB", size, "white") for _ in pictures]
            for ground, picture in zip(padded, pictures, strict=True):
                ground.paste(picture)
            pictures = padded
        with torch.inference_mode():
            return 1 - float(network(*(tensor(picture)[None] for picture in pictures)))

    return value


async def value_of(service, asked):
    (result,) = (await service.stub.Score(asked, timeout=PATIENCE)).results
    assert result.WhichOneof("outcome") == "value", result.failure.message
    return result.value


@pytest.mark.nightly(instead="test_vgg, which compares the network itself with other packages")
async def test_lpips_is_that_of_two_other_packages(service, request_of, oracle):
    for pair in PAIRS:
        asked = request_of(*pair)
        assert await value_of(service, asked) == pytest.approx(oracle(asked), abs=1e-5), pair


@pytest.mark.nightly(instead="a distance does not depend on the rest of the batch, in test_vgg.py")
async def test_batches_of_many_calls_give_the_values_of_single_ones(service, request_of, image):
    names = ["tab_0", "tab_1", "tab_3", "tab_shift1", "eq_0", "eq_1"]
    single = [await value_of(service, request_of(name, "tab_0")) for name in names]
    at_once = await asyncio.gather(*(value_of(service, request_of(name, "tab_0")) for name in names * 2))
    stream = service.stub.ScoreStream(timeout=PATIENCE)
    named = pb.Image(sha256=hashlib.sha256(image("images/tab_0.png").data).hexdigest())
    for place, name in enumerate(names):
        asked = request_of(name, "tab_0")
        await stream.write(pb.ScoreRequest(**{**fields(asked), "reference": named}) if place else asked)
    await stream.done_writing()
    streamed = {answer.id: answer.response.results[0].value async for answer in stream}
    described = await service.stub.Describe(pb.DescribeRequest())
    assert at_once == pytest.approx(single * 2, abs=1e-6)
    assert [streamed[name] for name in names] == pytest.approx(single, abs=1e-6)
    assert single[0] == 1
    assert described.versions["precision"] == "float32"
    assert {"torch", "torchvision", "lpips"} <= set(described.versions)


def fields(asked):
    return {field.name: value for field, value in asked.ListFields()}


async def test_profile_helm_has_zero_for_dark_pictures_and_the_value_for_light_ones(service, request_of):
    def light(seed):
        pixels = np.random.default_rng(seed).integers(128, 256, (310, 320, 3), dtype=np.uint8)
        encoded = io.BytesIO()
        Image.fromarray(pixels).save(encoded, "PNG")
        return pb.Image(data=encoded.getvalue())

    assert await value_of(service, request_of("eq_1", "eq_0", profile=pb.PROFILE_HELM)) == 0
    pair = {"reference": light(1), "prediction": light(2), "metrics": ["lpips"]}
    profiles = (pb.PROFILE_PAPER, pb.PROFILE_HELM)
    values = [await value_of(service, pb.ScoreRequest(**pair, profile=profile)) for profile in profiles]
    assert values[0] == pytest.approx(values[1], abs=1e-6)
    assert 0 < values[0] < 1


async def test_a_crash_of_the_networks_is_unavailable_and_never_a_score(serve, weights_dir, request_of):
    # Half a batch waits for the other half, so it is in flight while this test acts.
    waiting = ("--slots", "8", "--workers", "1", "--batch-size", "4", "--batch-wait-ms", "20000")
    full = [request_of("eq_0", "eq_0")] * 4
    async with serve("--weights-dir", str(weights_dir), *waiting, *ONE_THREAD) as service:
        assert await asyncio.gather(*(value_of(service, asked) for asked in full)) == [1] * 4
        workers = service.workers()
        process = next(pid for pid in workers if b"libtorch" in Path(f"/proc/{pid}/maps").read_bytes())
        calls = [
            service.stub.Score(request_of(name, "eq_0", metrics=["ems", "lpips"]))
            for name in ("eq_0", "eq_1")
        ]
        ended = [asyncio.ensure_future(call.code()) for call in calls]
        # Answered by a worker while the networks wait, so both are with the networks by now.
        assert (await service.stub.Score(request_of("eq_1", "eq_0", metrics=["ssim"]))).results[0].value < 1
        os.kill(process, signal.SIGKILL)
        assert await asyncio.gather(*ended) == [grpc.StatusCode.UNAVAILABLE] * 2
        assert await asyncio.gather(*(value_of(service, asked) for asked in full)) == [1] * 4
        assert process not in service.workers()


@pytest.mark.parametrize("content", [None, b"damaged"], ids=["absent", "damaged"])
async def test_without_weights_a_metric_is_unavailable_and_no_network_runs(
    serve, request_of, tmp_path, content
):
    if content is not None:
        for published in files.PUBLISHED.values():
            (tmp_path / published.name).write_bytes(content)
    async with serve("--weights-dir", str(tmp_path), "--hub-dir", str(tmp_path), "--slots", "1") as service:
        for profile in (pb.PROFILE_PAPER, pb.PROFILE_HELM):
            asked = request_of("eq_0", "eq_0", metrics=["lpips", "cis", "ssim"], profile=profile)
            lpips, cis, ssim = (await service.stub.Score(asked)).results
            for result in (lpips, cis):
                assert result.failure.kind == UNAVAILABLE
                assert ("needs" if content is None else "damaged") in result.failure.message
            assert ssim.value == 1
        everything = await service.stub.Score(request_of("eq_0", "eq_0", metrics=[]))
        assert [result.name for result in everything.results] == NAMES
        assert len(service.workers()) == 1


@pytest.mark.nightly(instead="examples under the oracle (recorded/test_results), and test_vgg for lpips")
async def test_every_metric_of_every_example_with_itself_is_one(service):
    assert len(EXAMPLES) >= 16
    pictures = [pb.Image(data=path.read_bytes()) for path in EXAMPLES]
    answers = await asyncio.gather(
        *(service.stub.Score(pb.ScoreRequest(reference=p, prediction=p), timeout=PATIENCE) for p in pictures)
    )
    for path, answer in zip(EXAMPLES, answers, strict=True):
        values = {result.name: result.value for result in answer.results}
        assert values == dict.fromkeys([*NAMES, "lpips"], 1.0), path.name


async def test_symmetric_metrics_are_symmetric_and_within_their_bounds(service, request_of):
    described = await service.stub.Describe(pb.DescribeRequest())
    paper = [
        metric for metric in described.metrics if metric.available and pb.PROFILE_PAPER in metric.profiles
    ]
    symmetric = [metric.name for metric in paper if metric.symmetric]
    assert symmetric == ["pixel", "exact", "ssim", "lpips"]
    for one, other, policy in PAIRS[:3]:
        there, back = [
            (await service.stub.Score(request_of(*names, policy, symmetric), timeout=PATIENCE)).results
            for names in ((one, other), (other, one))
        ]
        for a, b in zip(there, back, strict=True):
            assert a.value == pytest.approx(b.value, abs=1e-6), (a.name, one, other)
            assert a.lower_bound <= a.value <= a.upper_bound
