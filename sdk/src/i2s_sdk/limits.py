"""Bounds of what others made, where the settings say nothing else."""

from __future__ import annotations

#: Width times height of a reference picture; the default of the metric service.
REFERENCE_PIXELS = 25_000_000

#: Of a completion that is read; a longer one is not usable.
COMPLETION_CHARACTERS = 1_000_000

#: Of a PDF document; the default of the documents service.
DOCUMENT_BYTES = 60 * 1024 * 1024
