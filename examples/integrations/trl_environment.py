"""Training a model that looks at the renderings of its answers and corrects them, with TRL.

Each rollout is an episode: the model submits an answer with the tool ``submit``, is shown the rendering, its
difference from the image and the first error, and may submit again. The reward is that of its last answer.
Needs the packages trl (1.16 or newer) and datasets, a model that takes images and calls tools, and GPUs; run
services on other machines and name them with I2S_RENDER_LATEX and I2S_METRICS.

    python examples/integrations/trl_environment.py Qwen/Qwen3-VL-4B-Instruct
"""

from __future__ import annotations

import sys

from i2s_sdk.data import open_data
from i2s_training import EpisodeEnvironment, RoundTripReward

#: The reward of an answer that ignores the image; i2s_training.task_floors measures it for your data.
FLOOR = 0.5
TURNS = 3


def rows(data: str | None = None) -> list[dict[str, str]]:
    """Return the rows of the data set: the instances, whose questions the environment asks itself."""
    return [{"instance": instance.id} for instance in open_data(data).instances if instance.task == "latex"]


def main(model: str) -> None:
    """Train."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    reward = RoundTripReward(floor=FLOOR, normalize=True, clip=True)
    trainer = GRPOTrainer(
        model=model,
        args=GRPOConfig(
            output_dir="runs/episodes",
            num_generations=8,
            max_completion_length=8000,
            max_tool_calling_iterations=TURNS,
        ),
        environment_factory=EpisodeEnvironment.factory(reward, turns=TURNS),
        train_dataset=Dataset.from_list(rows()),
    )
    trainer.train()


if __name__ == "__main__":
    main(*sys.argv[1:])
