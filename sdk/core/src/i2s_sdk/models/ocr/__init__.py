"""The baseline that reads words: what can be had without understanding structure, and without a network."""

from i2s_sdk.models.ocr.baseline import OcrBaseline

__all__ = ["OcrBaseline"]
