"""READOC: a PDF document is answered with Markdown."""
