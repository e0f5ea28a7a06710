"""Integrations: single round trips, rewards for training, tasks for inspect_ai."""

from i2s_training.completion_scorer import RoundTripRequest, RoundTripResult
from i2s_training.episode import Episode, EpisodeBusyError, EpisodeOverError, EpisodeStart, EpisodeStep
from i2s_training.gates import ClosedGate, Gate
from i2s_training.groups import GroupPlace, group_places
from i2s_training.openrlhf_reward import OpenRLHFReward
from i2s_training.reward import RoundTripReward, instance_floors, task_floors
from i2s_training.round_trip import RoundTrip
from i2s_training.structured_reward import StructuredOutputReward
from i2s_training.trl_environment import EpisodeEnvironment
from i2s_training.verl_reward import VerlReward

__all__ = [
    "ClosedGate",
    "Episode",
    "EpisodeBusyError",
    "EpisodeEnvironment",
    "EpisodeOverError",
    "EpisodeStart",
    "EpisodeStep",
    "Gate",
    "GroupPlace",
    "OpenRLHFReward",
    "RoundTrip",
    "RoundTripRequest",
    "RoundTripResult",
    "RoundTripReward",
    "StructuredOutputReward",
    "VerlReward",
    "group_places",
    "instance_floors",
    "task_floors",
]
