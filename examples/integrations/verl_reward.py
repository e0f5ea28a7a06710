"""A reward function for verl, with a floor.

    python -m verl.trainer.main_ppo \
        reward.custom_reward_function.path=examples/integrations/verl_reward.py \
        reward.custom_reward_function.name=compute_score …

A row of the data set says in ``extra_info`` what its completions are judged against: ``{"instance": ID}`` for
an instance of the data set below, or ``{"image": PATH}``; ``ground_truth`` is the code, for the metric
``edit``.
Name running services with I2S_RENDER_LATEX and I2S_METRICS: else each reward worker starts its own.
"""

from __future__ import annotations

from i2s_training import RoundTripReward, VerlReward

#: The data set whose instances rows name; None is the bundled examples.
DATA = None
WEIGHTS = {"ems": 0.8, "edit": 0.2}
reward = RoundTripReward(weights=WEIGHTS, floor=0.5, normalize=True, clip=True, data=DATA)
compute_score = VerlReward(reward).compute_score
