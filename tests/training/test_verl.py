"""Rewards in verl's own reward managers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from omegaconf import OmegaConf
from verl import DataProto
from verl.trainer.ppo.reward import load_reward_manager
from verl.workers.reward_manager.batch import BatchRewardManager

from i2s_sdk import Settings
from i2s_sdk.data import Instance
from i2s_sdk.errors import DataError
from i2s_training import RoundTripReward, VerlReward
from tiny_language_model import tiny_tokenizer

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "integrations" / "verl_reward.py"


def batch_of(completions: list[str], truths: list[Any], about: list[dict[str, Any]]) -> DataProto:
    """Return what verl has of some completions: tokens of prompts and answers, and columns."""
    tokenizer = tiny_tokenizer()
    answers = tokenizer(completions, padding=True, padding_side="right", return_tensors="pt")
    prompts = tokenizer(["read: "] * len(completions), return_tensors="pt")
    mask = torch.cat((prompts["attention_mask"], answers["attention_mask"]), dim=1)
    tensors = {"prompts": prompts["input_ids"], "responses": answers["input_ids"], "attention_mask": mask}
    columns = {
        "data_source": ["i2s"] * len(completions),
        "reward_model": [{"style": "rule", "ground_truth": truth} for truth in truths],
        "extra_info": about,
    }
    arrays = {name: np.array(values, dtype=object) for name, values in columns.items()}
    return DataProto.from_dict(tensors=tensors, non_tensors=arrays)


def configuration(path: str, name: str, manager: str = "naive", **arguments: Any) -> Any:
    return OmegaConf.create(
        {
            "reward": {
                "custom_reward_function": {"path": path, "name": name, "reward_kwargs": arguments},
                "reward_manager": {"source": "register", "name": manager},
                "reward_model": {"enable": False},
            }
        }
    )


async def scores(manager: Any, batch: DataProto) -> list[dict[str, Any]]:
    return list(await asyncio.gather(*(manager.run_single(batch[n : n + 1]) for n in range(len(batch)))))


@pytest.mark.parametrize("manager", ["naive", "dapo"])
@pytest.mark.usefixtures("found_by_name")
async def test_verl_finds_the_function_in_the_package_and_awaits_it(
    manager: str, posterior: Instance, truth: str, broken: str
) -> None:
    config = configuration(
        "pkg://i2s_training.verl_reward",
        "round_trip",
        manager,
        weights={"ems": 0.8, "edit": 0.2},
        floor={"latex": 0.5},
        normalize=True,
    )
    config.reward.reward_kwargs = {"max_resp_len": None, "overlong_buffer_cfg": None}
    loaded = load_reward_manager(config, tiny_tokenizer())
    batch = batch_of(
        [truth, broken, truth],
        [truth, truth, ""],
        [{"image": str(posterior.image)}] * 2 + [{"instance": posterior.id, "floor": 0.0}],
    )
    found = await scores(loaded, batch)
    assert [one["reward_score"] for one in found] == pytest.approx([1.0, -1.0, 1.0])
    about = [one["reward_extra_info"] for one in found]
    assert [one["verdict"] for one in about] == ["RENDERED", "COMPILE_ERROR", "RENDERED"]
    assert len({frozenset(one) for one in about}) == 1
    rewards = type(loaded).assemble_rm_scores(batch, [one["reward_score"] for one in found])
    assert rewards.sum(dim=1).tolist() == pytest.approx([1.0, -1.0, 1.0])


@pytest.mark.usefixtures("found_by_name")
async def test_verl_takes_the_example_out_of_its_file(posterior: Instance, truth: str, broken: str) -> None:
    manager = load_reward_manager(configuration(str(EXAMPLE), "compute_score"), tiny_tokenizer())
    batch = batch_of([truth, broken], ["", truth], [{"image": str(posterior.image)}] * 2)
    assert [score["reward_score"] for score in await scores(manager, batch)] == pytest.approx([1.0, 0.0])


@pytest.mark.usefixtures("found_by_name")
async def test_a_data_fault_ends_the_step_of_verl(truth: str, tmp_path: Path) -> None:
    config = configuration("pkg://i2s_training.verl_reward", "round_trip")
    manager = load_reward_manager(config, tiny_tokenizer())
    batch = batch_of([truth], [""], [{"image": str(tmp_path / "missing.png")}])
    with pytest.raises(DataError, match=r"missing\.png: cannot be read"):
        await scores(manager, batch)


def test_verls_batch_manager_gets_a_whole_batch_at_a_time(
    running: Settings, posterior: Instance, truth: str, broken: str
) -> None:
    reward = RoundTripReward(floor=0.5, normalize=True, settings=running)
    try:
        manager = BatchRewardManager(tiny_tokenizer(), 0, VerlReward(reward).compute_score_batch)
        about = [{"image": str(posterior.image)} for _ in range(3)]
        found = manager(batch_of([truth, broken, truth], [""] * 3, about), return_dict=True)
        assert found["reward_tensor"].sum(dim=1).tolist() == pytest.approx([1.0, -1.0, 1.0])
        assert found["reward_extra_info"]["usable"] == [1.0, 0.0, 1.0]
    finally:
        reward.close()
