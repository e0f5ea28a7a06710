"""Rewards for training, called as TRL calls them, with real services."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import inspect
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from PIL import Image

from i2s_sdk import Settings
from i2s_sdk.data import Instance, read_folder
from i2s_sdk.errors import DataError, ServiceError, UnknownNameError, UsageError
from i2s_training import RoundTripReward, instance_floors, task_floors

pytestmark = pytest.mark.integration

BROKEN = r"\begin{equation} \frac{1}{ \end{equation}"


@pytest.fixture(scope="module")
def reward(running: Settings) -> Iterator[RoundTripReward]:
    opened = RoundTripReward(weights={"ems": 3.0, "edit": 1.0}, failed=-0.5, settings=running)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def posterior(running: Settings) -> Instance:
    assert running.examples is not None
    return read_folder(running.examples).instances[0]


@pytest.fixture(scope="module")
def truth(posterior: Instance) -> str:
    assert posterior.structure is not None
    return posterior.structure.read_text()


def test_better_answers_have_higher_rewards(reward: RoundTripReward, posterior: Instance, truth: str) -> None:
    answers = [truth, truth.replace(r"\tau", "x"), r"\[ x \]", BROKEN, ""]
    rewards = reward(
        prompts=["look"] * 5,
        completions=answers,
        completion_ids=[[1]] * 5,
        image=[str(posterior.image)] * 5,
        structure=[truth] * 5,
        trainer_state=None,
    )
    assert rewards[0] == pytest.approx(1.0)
    assert rewards[3:] == [-0.5, -0.5]
    known = [one for one in rewards if one is not None]
    assert known == sorted(known, reverse=True)
    assert known[0] > known[1] > known[2] > 0.0


@pytest.mark.parametrize("clip", [True, False])
def test_rewards_keep_the_order_of_refusals_failures_blank_and_other_images(
    running: Settings, posterior: Instance, truth: str, clip: bool
) -> None:
    answers = [
        "I'm sorry, but I can't help with transcribing this image.",
        "The image shows a formula with a fraction.",
        "<think>It may be \\[ x",
        BROKEN,
        r"\phantom{x}",
        r"\[ \text{something else} \]",
        truth,
    ]
    with contextlib.closing(
        RoundTripReward(floor=0.6, normalize=True, clip=clip, settings=running)
    ) as reward:
        rewards = [one or 0.0 for one in reward(completions=answers, instance=[posterior] * len(answers))]
    assert rewards[0] == rewards[1] == rewards[2] == rewards[3]
    assert rewards[3] < rewards[4] < rewards[5] < rewards[6] == pytest.approx(1.0)
    assert not clip or rewards[3:5] == [0.0, 0.01]


def test_a_metric_that_no_task_has_is_an_error_when_the_reward_is_made() -> None:
    with pytest.raises(UnknownNameError, match="ems"):
        RoundTripReward(weights={"emms": 1.0})


def test_pictures_come_in_every_form_that_data_sets_have(
    reward: RoundTripReward, posterior: Instance, truth: str
) -> None:
    content = posterior.image.read_bytes()
    with Image.open(posterior.image) as picture:
        forms = [
            picture,
            content,
            {"bytes": content, "path": None},
            str(posterior.image),
            [picture],
            posterior,
        ]
        rewards = reward(completions=[truth] * len(forms), images=forms)
    # The first five have no edit similarity, since they lack ground truth; the weight is that of ems alone.
    assert rewards == pytest.approx([1.0] * len(forms))


def test_messages_of_chat_templates_are_completions(
    reward: RoundTripReward, posterior: Instance, truth: str
) -> None:
    completions = [
        [{"role": "assistant", "content": truth}],
        [{"role": "assistant", "content": [{"type": "text", "text": truth}]}],
    ]
    assert reward(completions=completions, instance=[posterior] * 2) == pytest.approx([1.0, 1.0])


async def test_it_can_be_awaited_and_trainers_can_tell(
    reward: RoundTripReward, posterior: Instance, truth: str
) -> None:
    assert inspect.iscoroutinefunction(reward.round_trip_async)
    assert not inspect.iscoroutinefunction(reward)
    assert (reward.__name__, reward.as_async().__name__) == ("latex_ems_edit", "latex_ems_edit_async")
    batches = [reward.round_trip_async(None, [truth, BROKEN], instance=[posterior] * 2) for _ in range(3)]
    assert await asyncio.gather(*batches) == [pytest.approx([1.0, -0.5])] * 3


class Road:
    """A way to a service, that can be cut."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self._to = host, int(port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._open: list[socket.socket] = [self._listener]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._to)
                self._open += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=pair, daemon=True).start()

    @staticmethod
    def _carry(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while content := source.recv(65536):
                target.sendall(content)

    def cut(self) -> None:
        for one in self._open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


def test_a_failure_of_the_services_can_be_none_and_is_never_a_number(
    running: Settings, posterior: Instance, truth: str
) -> None:
    road = Road(str(running.render_latex))
    settings = replace(running, render_latex=road.address, retry_seconds=8.0)
    reward = RoundTripReward(on_failure="none", settings=settings)
    try:
        assert reward(completions=[truth], instance=[posterior]) == pytest.approx([1.0])
        road.cut()
        # An answer without code needs no renderer: it has its reward.
        assert reward(completions=[truth, ""], instance=[posterior] * 2) == [None, 0.0]
    finally:
        reward.close()


def test_a_failure_of_the_services_is_raised(running: Settings, posterior: Instance, truth: str) -> None:
    road = Road(str(running.render_latex))
    settings = replace(running, render_latex=road.address, retry_seconds=2.0)
    reward = RoundTripReward(settings=settings)
    try:
        assert reward(completions=[""], instance=[posterior]) == [0.0]  # opens the services
        road.cut()
        with pytest.raises(ServiceError, match=road.address):
            reward(completions=[truth], instance=[posterior])
    finally:
        reward.close()


def test_a_batch_that_does_not_fit_is_told(reward: RoundTripReward, posterior: Instance) -> None:
    with pytest.raises(UsageError, match="needs the picture"):
        reward(completions=["x"], prompt=["y"])
    with pytest.raises(UsageError, match="1 values for 2 completions"):
        reward(completions=["x", "y"], instance=[posterior])
    with pytest.raises(UsageError, match="a picture must be"):
        reward(completions=["x"], image=[7])
    with pytest.raises(UsageError, match="a completion must be"):
        reward(completions=[7], instance=[posterior])
    with pytest.raises(UsageError, match="weights"):
        RoundTripReward(weights={"ems": 0.0})


def test_floor_and_transform_apply_to_all_completions(
    running: Settings, posterior: Instance, truth: str
) -> None:
    reward = RoundTripReward(
        floor=0.6, ceiling=0.9, normalize=True, transform=lambda value: 2 * value, settings=running
    )
    try:
        found = reward(
            completions=[truth, BROKEN, truth],
            instance=[posterior.id] * 3,
            floor=[None, None, 0.8],
            ceiling=[None, None, 1.0],
        )
        assert found == pytest.approx([2 * 0.4 / 0.3, 2 * -0.6 / 0.3, 2.0])
    finally:
        reward.close()


def test_a_data_fault_touches_no_other_completion(
    running: Settings, posterior: Instance, truth: str, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.png"
    cut.write_bytes(posterior.image.read_bytes()[:200])
    images = [str(posterior.image), str(tmp_path / "missing.png"), None, str(cut), str(posterior.image)]
    lenient = RoundTripReward(on_data_fault="none", settings=running)
    strict = RoundTripReward(settings=running)
    try:
        assert lenient(completions=[truth] * 5, image=images) == [pytest.approx(1.0), None, None, None, 1.0]
        judged = lenient.judged([truth] * 5, {"image": images})
        assert [one.data_fault for one in judged] == [False, True, True, True, False]
        for image, message in zip(
            images[1:4], ["cannot be read", "a picture must be", "cut.png"], strict=True
        ):
            with pytest.raises(DataError, match=message):
                strict(completions=[truth], image=[image])
            # A broken answer to it is no zero either.
            if image is not None:
                assert lenient(completions=[BROKEN], image=[image]) == [None]
        assert lenient(completions=[truth], instance=["nobody"]) == [None]
    finally:
        lenient.close()
        strict.close()


def test_floors_are_what_answers_have_that_look_at_nothing(
    reward: RoundTripReward, running: Settings, posterior: Instance, truth: str
) -> None:
    assert running.examples is not None
    own = [instance for instance in read_folder(running.examples).instances if instance.task == "latex"][:3]
    floors = instance_floors(own, reward)
    assert set(floors) == {one.id for one in own}
    assert all(0.0 < floor < 1.0 for floor in floors.values())
    (of_task,) = task_floors(own, reward).values()
    # The best baseline of each instance is no worse than one baseline for all.
    assert min(floors.values()) <= of_task <= sum(floors.values()) / 3 + 1e-9
    (found,) = reward(completions=[truth], instance=[posterior], floor=[floors[posterior.id]])
    assert found == pytest.approx(1.0 - floors[posterior.id])


def test_the_columns_of_the_example_for_trl_are_those_of_the_reward(
    reward: RoundTripReward, running: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = list(_example("trl_reward").rows(str(running.examples), limit=2))
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    completions = columns["structure"]
    rewards = reward(columns.pop("prompt"), completions, **columns)
    assert rewards == pytest.approx([1.0, 1.0])


def _example(name: str) -> ModuleType:
    path = Path(__file__).resolve().parents[3] / "examples" / "integrations" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
