"""Papers of arXiv: metadata by OAI-PMH, licences, sources by version, and which renderings are references."""

from i2s_collect.arxiv.source import METADATA_URL, SOURCES_URL, ArxivSource

__all__ = ["METADATA_URL", "SOURCES_URL", "ArxivSource"]
