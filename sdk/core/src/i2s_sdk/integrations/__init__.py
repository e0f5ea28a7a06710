"""Integrations: single round trips, rewards for training, tasks for inspect_ai."""

from i2s_sdk.integrations.openrlhf_reward import OpenRLHFReward
from i2s_sdk.integrations.requests import RoundTripRequest, RoundTripResult
from i2s_sdk.integrations.reward import RoundTripReward
from i2s_sdk.integrations.reward_floors import instance_floors, task_floors
from i2s_sdk.integrations.round_trip import RoundTrip
from i2s_sdk.integrations.structured_reward import StructuredOutputReward
from i2s_sdk.integrations.verl_reward import VerlReward

__all__ = [
    "OpenRLHFReward",
    "RoundTrip",
    "RoundTripRequest",
    "RoundTripResult",
    "RoundTripReward",
    "StructuredOutputReward",
    "VerlReward",
    "instance_floors",
    "task_floors",
]
