"""Providers of completions."""

from i2s_sdk.models.completion import (
    BudgetSpentError,
    ModelAccessError,
    ModelFailedError,
    ModelInputRejectedError,
    ModelRefusedError,
)
from i2s_sdk.models.costs import Estimate, estimate
from i2s_sdk.models.model import Completion, Finish, Model, ModelLike, close_model
from i2s_sdk.models.options import Budget, ModelOptions
from i2s_sdk.models.registry import MODELS, open_model

__all__ = [
    "MODELS",
    "Budget",
    "BudgetSpentError",
    "Completion",
    "Estimate",
    "Finish",
    "Model",
    "ModelAccessError",
    "ModelFailedError",
    "ModelInputRejectedError",
    "ModelLike",
    "ModelOptions",
    "ModelRefusedError",
    "close_model",
    "estimate",
    "open_model",
]
