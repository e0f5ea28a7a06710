"""Batch APIs of vendors: many questions in one request, answered within hours at a lower price."""

from i2s_sdk.models.batches.provider import BatchedProvider, batched

__all__ = ["BatchedProvider", "batched"]
