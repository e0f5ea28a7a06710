"""Similarity of texts, computed here and not by a service: it needs no image."""

from i2s_sdk.text.edit_similarity import edit_similarity

__all__ = ["edit_similarity"]
