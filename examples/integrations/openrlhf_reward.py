"""A reward function for OpenRLHF.

    python -m openrlhf.cli.train_ppo_ray \
        --reward.remote_url examples/integrations/openrlhf_reward.py --data.label_key label …

The label of a prompt is the id of an instance of the data set below, or a JSON object of columns such as
``{"image": PATH, "structure": CODE}``. Name running services with I2S_RENDER_LATEX and I2S_METRICS.
"""

from __future__ import annotations

from i2s_training import OpenRLHFReward, RoundTripReward

#: The data set whose instances labels name; None is the bundled examples.
DATA = None
reward_func = OpenRLHFReward(RoundTripReward(floor=0.5, normalize=True, clip=True, data=DATA))
