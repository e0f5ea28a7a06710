"""Integrations: single round trips, rewards for training, tasks for inspect_ai."""

from i2s_sdk.integrations.requests import RoundTripRequest, RoundTripResult
from i2s_sdk.integrations.reward import RoundTripReward
from i2s_sdk.integrations.round_trip import RoundTrip
from i2s_sdk.integrations.structured_reward import StructuredOutputReward

__all__ = ["RoundTrip", "RoundTripRequest", "RoundTripResult", "RoundTripReward", "StructuredOutputReward"]
