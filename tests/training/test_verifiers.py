"""The tasks of the benchmark as a taskset of verifiers."""

from __future__ import annotations

import pytest
import verifiers.v1 as vf
from verifiers.v1.harnesses.null import NullHarness
from verifiers.v1.utils.loaders import (
    default_harness_id,
    harness_class,
    load_taskset,
    taskset_class,
)

import i2s_verifiers
from i2s_sdk.data import Instance
from i2s_sdk.errors import UsageError
from i2s_verifiers.taskset import RoundTripTaskset, RoundTripTasksetConfig

ID = "i2s-verifiers"

pytestmark = pytest.mark.usefixtures("found_by_name")


def loaded(**config: object) -> RoundTripTaskset:
    return load_taskset(RoundTripTasksetConfig.model_validate({"id": ID, **config}))


def answered(task: vf.Task, *replies: str) -> vf.Trace:
    messages = [vf.AssistantMessage(content=reply) for reply in replies]
    nodes = [
        vf.MessageNode(message=message, parent=number - 1 if number else None, sampled=True)
        for number, message in enumerate(messages)
    ]
    agent = vf.AgentInfo(config=vf.AgentConfig())
    return vf.Trace(task=vf.TraceTask(type=type(task).__name__, data=task.data), agent=agent, nodes=nodes)


def test_verifiers_finds_the_taskset_and_its_harness_by_name() -> None:
    assert set(i2s_verifiers.__all__) == {"NullHarness", "RoundTripEnv", "RoundTripTaskset"}
    assert taskset_class(ID) is RoundTripTaskset
    assert harness_class(default_harness_id(ID)) is NullHarness


def test_tasks_hold_the_question_with_its_picture_and_name_their_instance(posterior: Instance) -> None:
    taskset = loaded()
    tasks = list(taskset)
    assert tasks[0].data.id == posterior.id
    assert {task.data.benchmark for task in tasks} == {"latex"}
    assert len({task.key for task in tasks}) == len(tasks)
    (message,) = tasks[0].data.prompt
    text, picture = message.content
    assert text.text
    assert picture.image_url.url.startswith("data:image/png;base64,")
    assert [task.data.id for task in taskset.include(ids=[posterior.id])] == [posterior.id]


async def test_the_last_reply_is_rewarded_and_its_metrics_recorded(truth: str, broken: str) -> None:
    task = next(iter(loaded(task={"floor": 0.5, "normalize": True})))
    good, bad = answered(task, broken, truth), answered(task, broken)
    await task.score(good)
    await task.score(bad)
    assert list(good.rewards) == ["latex_ems"]
    assert (good.reward, bad.reward) == (pytest.approx(1.0), pytest.approx(-1.0))
    assert good.metrics["usable"] == 1.0
    assert good.metrics["ems"] == pytest.approx(1.0)
    assert bad.metrics["usable"] == 0.0


async def test_weights_of_the_configuration_are_those_of_the_reward(truth: str) -> None:
    task = next(iter(loaded(task={"weights": {"ems": 0.8, "edit": 0.2}})))
    trace = answered(task, truth)
    await task.score(trace)
    assert list(trace.rewards) == ["latex_ems_edit"]
    assert trace.reward == pytest.approx(1.0)


async def test_a_data_fault_is_an_error_of_the_trace_and_no_reward(truth: str) -> None:
    task = next(iter(loaded())).with_data(id="nobody")
    trace = answered(task, truth)
    with pytest.raises(vf.TaskError, match="holds no instance 'nobody'"):
        await task.score(trace)
    assert trace.rewards == {"round_trip": None}


def test_a_selection_that_holds_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="no subset is called 'nothing'"):
        list(loaded(subsets=["nothing"]))
    with pytest.raises(UsageError, match="no such instance of task 'readoc'"):
        list(loaded(benchmark="readoc"))
