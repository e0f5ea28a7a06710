"""Training a model to write code for images, with the round trip as its reward.

The reward renders what the model wrote and compares the images. Needs the packages trl and datasets, a
model that takes images, and GPUs; run services on other machines and name them with I2S_RENDER_LATEX and
I2S_METRICS, so that rendering does not take the CPUs of training.

    python examples/integrations/trl_reward.py Qwen/Qwen2.5-VL-3B-Instruct
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from i2s_sdk.data import Selection, open_data
from i2s_sdk.tasks import TextPart
from i2s_sdk.tasks.registry import open_task
from i2s_training import RoundTripReward

#: The metric of the benchmark and, for a signal where nothing is alike yet, that of the texts.
WEIGHTS = {"ems": 0.8, "edit": 0.2}
#: The reward of an answer that ignores the image; i2s_training.task_floors measures it for your data.
FLOOR = 0.5


def rows(data: str | None = None, limit: int | None = None) -> Iterator[dict[str, Any]]:
    """Yield what the trainer shows the model, and the columns that the reward looks at."""
    task = open_task("latex")
    selection = Selection(limit=limit, seed=1)
    for one in selection.apply(
        instance for instance in open_data(data).instances if instance.task == "latex"
    ):
        structure = one.structure.read_text(encoding="utf-8") if one.structure else None
        (question,) = task.questions(one)
        prompt = "".join(part.text for part in question.parts if isinstance(part, TextPart))
        message = [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": prompt}]}]
        yield {"prompt": message, "image": str(one.image), "structure": structure}


def main(model: str) -> None:
    """Train."""
    from datasets import Dataset, Image
    from trl import GRPOConfig, GRPOTrainer

    trainer = GRPOTrainer(
        model=model,
        args=GRPOConfig(output_dir="runs/grpo", num_generations=8, max_completion_length=2000),
        reward_funcs=[RoundTripReward(weights=WEIGHTS, floor=FLOOR, normalize=True, clip=True)],
        train_dataset=Dataset.from_list(list(rows())).cast_column("image", Image()),
    )
    trainer.train()


if __name__ == "__main__":
    main(*sys.argv[1:])
