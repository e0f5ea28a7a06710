"""Doors to other tools: one round trip at a time, rewards for training, tasks for inspect_ai."""

from i2s_sdk.doors.requests import RoundTripRequest, RoundTripResult
from i2s_sdk.doors.reward import RoundTripReward
from i2s_sdk.doors.round_trip import RoundTrip

__all__ = ["RoundTrip", "RoundTripRequest", "RoundTripResult", "RoundTripReward"]
