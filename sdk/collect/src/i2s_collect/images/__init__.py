"""Decisions from pixels: blank images, duplicates, sheet music, systems of a page."""
