#!/usr/bin/env python3
"""Writes the files of deploy/ that follow from its templates and the table of renderers: ``make deploy``."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.stack.deployment import deployment_files

DEPLOY = Path(__file__).resolve().parents[1] / "deploy"

if __name__ == "__main__":
    for path, text in deployment_files().items():
        file = DEPLOY / path
        if not file.is_file() or file.read_text("utf-8") != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
            print(f"deploy/{path}")
