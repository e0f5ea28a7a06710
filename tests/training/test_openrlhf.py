"""Rewards in OpenRLHF's own executor of single answers."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from openrlhf.utils.agent import SingleTurnAgentExecutor

from i2s_sdk.data import Instance
from tiny_language_model import tiny_tokenizer

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "integrations" / "openrlhf_reward.py"
PROMPT = "user: read this\nassistant: "


@dataclass
class SamplingParams:
    """What the executor reads of vLLM's parameters."""

    max_tokens: int = 4096
    logprobs: int | None = None


class Generator:
    """Generates a given answer, in the place of vLLM."""

    def __init__(self, answer: str) -> None:
        self._tokens = tiny_tokenizer()(answer)["input_ids"] + [tiny_tokenizer().eos_token_id]

    async def generate(self, prompt: list[int], params: SamplingParams, multi_modal_data: Any = None) -> Any:
        output = SimpleNamespace(token_ids=self._tokens, finish_reason="stop", logprobs=None)
        return SimpleNamespace(outputs=[output])


@pytest.fixture
def executor(found_by_name: None) -> SingleTurnAgentExecutor:
    return SingleTurnAgentExecutor(str(EXAMPLE))


async def answered(executor: SingleTurnAgentExecutor, answer: str, label: str) -> dict[str, Any]:
    return await executor.execute(PROMPT, label, SamplingParams(), 9000, tiny_tokenizer(), Generator(answer))


async def test_openrlhf_gets_a_number_for_each_of_many_answers(
    executor: SingleTurnAgentExecutor, posterior: Instance, truth: str, broken: str
) -> None:
    labels = [posterior.id, json.dumps({"image": str(posterior.image), "structure": truth})]
    asked = [(text, label) for text in (truth, broken) for label in labels]
    found = await asyncio.gather(*(answered(executor, *one) for one in asked))
    assert [one["reward"] for one in found] == pytest.approx([1.0, 1.0, -1.0, -1.0])
    assert [one["scores"] for one in found] == [one["reward"] for one in found]
    assert [one["extra_logs"]["latex_ems/usable"] for one in found] == [1.0, 1.0, 0.0, 0.0]


async def test_a_data_fault_is_no_reward_in_openrlhf_and_stands_in_the_log(
    executor: SingleTurnAgentExecutor, truth: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, logger="i2s_sdk"):
        found = await answered(executor, truth, "nobody")
    assert found["reward"] is None
    assert found["scores"] is None
    assert "holds no instance 'nobody'" in caplog.text
