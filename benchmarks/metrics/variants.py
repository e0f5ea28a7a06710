"""Pairs of images, and the variants: the service with its settings, and the package lpips called plainly."""

from __future__ import annotations

import asyncio
import io
import os
import time
import warnings
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageChops, ImageDraw

from benchmarks.harness.command import MeasurementError
from benchmarks.harness.meter import Meter
from benchmarks.harness.services import serving
from i2s_client.metrics import AsyncMetricsClient
from i2s_client.service_table import wire_name
from i2s_sdk.stack.command import ServiceCommand
from i2s_wire.metrics.score import Score

_REFERENCES = Path(__file__).parents[2] / "examples" / "references"
_CALL_SECONDS = 600


@dataclass(frozen=True, slots=True)
class EncodedPair:
    """Two PNG files of one size."""

    reference: bytes
    prediction: bytes


def warm_pairs(count: int) -> list[EncodedPair]:
    """Return different predictions for one reference."""
    reference = _pictures()[0]
    return [EncodedPair(_png(reference), _png(_changed(reference, number))) for number in range(count)]


def cold_pairs(count: int) -> list[EncodedPair]:
    """Return pairs in which no reference comes twice."""
    images = _pictures()
    references = [_stamped(images[number % len(images)], number) for number in range(count)]
    return [
        EncodedPair(_png(reference), _png(_changed(reference, number)))
        for number, reference in enumerate(references)
    ]


def _pictures() -> list[Image.Image]:
    return list(_opened())


def _opened() -> Iterator[Image.Image]:
    for path in sorted(_REFERENCES.glob("*.png")):
        with Image.open(path) as image:
            yield image.convert("RGB")


def _changed(image: Image.Image, number: int) -> Image.Image:
    """Return the image moved a little, with one box missing."""
    moved = ImageChops.offset(image, 1 + number % 7, number % 3)
    left = (37 * number) % max(1, image.width - 40)
    ImageDraw.Draw(moved).rectangle((left, 5, left + 30, 25), fill="white")
    return moved


def _stamped(image: Image.Image, number: int) -> Image.Image:
    """Return the image with a mark of its own."""
    marked = image.copy()
    ImageDraw.Draw(marked).rectangle((0, 0, 4 + number, 6), fill=(number % 256, 80, 80))
    return marked


def _png(image: Image.Image) -> bytes:
    encoded = io.BytesIO()
    image.save(encoded, "PNG")
    return encoded.getvalue()


@dataclass(frozen=True, slots=True)
class Figure:
    """What one variant did with all pairs of a kind."""

    name: str  #: Name of the variant.
    kind: str  #: "warm" or "cold".
    pairs_per_second: float  #: Pairs per second of wall time.
    cpu_seconds: float  #: CPU seconds of all its processes, for one pair.
    values: tuple[float, ...]  #: Values of the main metric, in the order of the pairs.


def package(kind: str, pairs: Sequence[EncodedPair], weights: Path) -> Figure:
    """Measure the package lpips: one pair at a time, as many threads as processors."""
    import torch

    from i2s_metrics.networks.feature_networks import declare_missing_operators

    declare_missing_operators()
    import lpips
    from torchvision import transforms

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network = lpips.LPIPS(net="vgg", pnet_rand=True, verbose=False).eval()
    _fill(network, weights)
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    tensor = transforms.Compose(
        [transforms.Resize((256, 256)), transforms.ToTensor(), transforms.Normalize((0.5,) * 3, (0.5,) * 3)]
    )

    def value(pair: EncodedPair) -> float:
        images = [Image.open(io.BytesIO(data)).convert("RGB") for data in (pair.prediction, pair.reference)]
        with torch.inference_mode():
            return 1 - float(network(*(tensor(image)[None] for image in images)))

    value(pairs[0])
    started, cpu = time.perf_counter(), time.process_time()
    values = tuple(value(pair) for pair in pairs)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    return Figure("package", kind, len(pairs) / seconds, cpu / len(pairs), values)


def _fill(network: object, weights: Path) -> None:
    import torch

    with np.load(weights) as arrays:
        for part in network.net.children():  # type: ignore[attr-defined]
            for place, layer in part.named_children():
                if isinstance(layer, torch.nn.Conv2d):
                    layer.weight.data = torch.from_numpy(arrays[f"features.{place}.weight"])
                    layer.bias.data = torch.from_numpy(arrays[f"features.{place}.bias"])  # type: ignore[union-attr]


class RunningService:
    """A service that serves, and a client of it."""

    def __init__(self, client: AsyncMetricsClient, meter: Meter, batch: int, slots: int) -> None:
        self._client, self._meter, self._batch, self._slots = client, meter, batch, slots

    async def measure(
        self, name: str, kind: str, pairs: Sequence[EncodedPair], metrics: tuple[str, ...]
    ) -> Figure:
        """Send all pairs, as many at once as there are slots."""
        if kind == "warm":
            await self._score(pairs[0], metrics)
        turns = asyncio.Semaphore(self._slots)

        async def one(pair: EncodedPair) -> Score:
            async with turns:
                return await self._score(pair, metrics)

        started, cpu = time.perf_counter(), self._meter.cpu_seconds()
        scores = await asyncio.gather(*(one(pair) for pair in pairs))
        seconds, cpu = time.perf_counter() - started, self._meter.cpu_seconds() - cpu
        values = [score.results[0].value for score in scores]
        if any(value is None for value in values):
            raise MeasurementError(f"{name}, {kind}: {scores[0].results[0].failure}")
        found = tuple(value for value in values if value is not None)
        return Figure(name, kind, len(pairs) / seconds, cpu / len(pairs), found)

    async def warm_up(self, pair: EncodedPair) -> None:
        """Have networks loaded and solvers compiled."""
        await self._score(pair, ())

    async def _score(self, pair: EncodedPair, metrics: tuple[str, ...]) -> Score:
        return await self._client.score(pair.reference, pair.prediction, metrics=metrics)


@asynccontextmanager
async def service(
    folder: Path, weights_dir: Path, batch: int, warm: EncodedPair
) -> AsyncIterator[RunningService]:
    """Run the service as long as the block lasts, warmed up with a pair that is not measured."""
    cpus = len(os.sched_getaffinity(0))
    slots = max(2 * batch, cpus)
    options = {
        "--weights-dir": weights_dir,
        "--slots": slots,
        "--workers": cpus,
        "--batch-size": batch,
        "--batch-wait-ms": 5,
        "--feature-memory": "256MiB",
    }
    words = tuple(str(word) for option in options.items() for word in option)
    command = ServiceCommand("metrics", wire_name("metrics"), words)
    async with (
        serving(command, folder) as served,
        AsyncMetricsClient(served.child.address, deadline=_CALL_SECONDS) as client,
    ):
        running = RunningService(client, served.meter, batch, slots)
        await asyncio.gather(*(running.warm_up(warm) for _ in range(cpus)))
        yield running
