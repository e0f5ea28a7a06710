"""The configuration file: which one it is, and what it says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from i2s_sdk.errors import SettingsError
from i2s_sdk.json_text import read_toml
from i2s_sdk.working_folder import refuse_reach

#: Read where neither --config nor I2S_CONFIG names another file. What it may not say: i2s_sdk.working_folder.
DEFAULT_FILE = Path("i2s.toml")

#: Tables of the file that hold the options of a command.
COMMAND_TABLES = frozenset({"evaluate", "generate"})


def command_tables(config: str | None) -> tuple[Path, dict[str, dict[str, object]]]:
    """Return the configuration file, and its tables by name: options of single commands.

    Args:
        config: The file; None takes I2S_CONFIG, else i2s.toml of the working folder where there is one.

    Raises:
        SettingsError: The file cannot be read.
    """
    path, content = read_configuration(Path(config) if config else None, os.environ)
    return path, {name: value for name, value in content.items() if isinstance(value, dict)}


def read_configuration(config: Path | None, environ: Mapping[str, str]) -> tuple[Path, dict[str, Any]]:
    """Return the configuration file and what it holds; nothing where there is none.

    Raises:
        SettingsError: It cannot be read, or nobody named it and it says what only a named file may say.
    """
    chosen = config or (Path(environ["I2S_CONFIG"]) if environ.get("I2S_CONFIG") else None)
    path = chosen or DEFAULT_FILE
    if chosen is None and not path.exists():
        return path, {}
    try:
        content = read_toml(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise SettingsError(f"--config {path}: cannot be read: {error}") from None
    if chosen is None:
        refuse_reach(path, content)
    return path, content
