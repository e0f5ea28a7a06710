"""What the manifest of a run says of a task with a sampling, and of one without."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.run.plan import _digest
from i2s_sdk.tasks import SampledTask, Sampling
from i2s_sdk.tasks.readoc.task import PageMode, ReadocTask
from i2s_sdk.tasks.registry import SPECS, open_task
from i2s_wire.metrics.profile import Profile


def test_the_digest_of_a_prompt_covers_the_sampling() -> None:
    task = ReadocTask()
    assert isinstance(task, SampledTask)
    others = [replace(task, sampling=Sampling()), replace(task, sampling=Sampling(temperature=0.7))]
    assert len({_digest(one) for one in (task, *others)}) == 3
    assert _digest(task) == _digest(replace(task))


@pytest.mark.parametrize("name", sorted(set(SPECS) - {"readoc"}))
def test_the_digest_of_a_task_without_a_sampling_is_that_of_its_texts(name: str) -> None:
    task = open_task(name)
    assert not isinstance(task, SampledTask)
    assert _digest(task) == hashlib.sha256(json.dumps(task.prompt_texts()).encode()).hexdigest()


@pytest.mark.parametrize("profile", list(Profile))
def test_readoc_has_the_sampling_of_the_benchmark_in_every_profile(profile: Profile) -> None:
    wanted = Sampling(temperature=0.7, top_p=0.8, top_k=100, repetition_penalty=1.05)
    assert ReadocTask(profile).sampling == wanted
    assert ReadocTask(profile, PageMode.TOGETHER).sampling == wanted


@pytest.mark.parametrize("mode", list(PageMode))
@pytest.mark.parametrize("pages", [1, 5, 6])
def test_every_question_about_pages_has_the_sampling_of_the_task(mode: PageMode, pages: int) -> None:
    task = ReadocTask(mode=mode)
    files = tuple(Path(f"{number}.jpg") for number in range(pages))
    questions = task.questions(Instance("a", "readoc", "arxiv", None, pages=files))
    assert {question.sampling for question in questions} == {task.sampling}


def test_inspect_ai_has_the_sampling_of_a_task_as_its_configuration() -> None:
    pytest.importorskip("inspect_ai", reason="i2s-sdk[inspect] is not installed")
    from i2s_training.inspect_tasks import _decoding

    sampled, other = _decoding(ReadocTask()), _decoding(open_task("latex"))
    assert (sampled.temperature, sampled.top_p, sampled.top_k, sampled.max_tokens) == (0.7, 0.8, 100, 2000)
    assert (other.temperature, other.top_p, other.top_k, other.max_tokens) == (0.0, None, None, 2000)
