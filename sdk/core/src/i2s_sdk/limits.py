"""Bounds of what models answer, if the settings say nothing else; see ``i2s_wire.bounds`` for images."""

from __future__ import annotations

#: The longest completion that is read; a longer one is not usable.
COMPLETION_CHARACTERS = 1_000_000
