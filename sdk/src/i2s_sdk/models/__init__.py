"""Providers of completions."""

from i2s_sdk.models.model import Completion, Model
from i2s_sdk.models.registry import open_model

__all__ = ["Completion", "Model", "open_model"]
