"""Where values of settings come from: environment and configuration file, and what a person calls them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from i2s_client.service_table import SERVICES
from i2s_sdk.errors import SettingsError
from i2s_sdk.json_text import read_toml
from i2s_sdk.working_folder import refuse_reach

#: Read where neither --config nor I2S_CONFIG names another file. What it may not say: i2s_sdk.working_folder.
DEFAULT_FILE = Path("i2s.toml")

#: The form of the address of a service.
ADDRESS = re.compile(r"(?:[a-z][a-z0-9]*:(?://[^\s/]*/)?)?[^\s/]+:\d{1,5}")

#: Settings that hold the address of a service.
ADDRESSES = tuple(one.setting for one in SERVICES)

#: Secrets: they come from the environment alone, never from a command line or a file of settings.
SECRETS = ("token", *(f"token_{name}" for name in ADDRESSES))

#: Files with a token each.
TOKEN_FILES = ("token_file", *(f"token_file_{name}" for name in ADDRESSES))

#: Settings that some commands have a flag of their own for; all others are set by --set.
FLAGS = {
    **{one.setting: one.flag for one in SERVICES},
    "token_file": "--token-file",
    "profile": "--profile",
    "jobs": "--jobs",
    "fail_on_error": "--fail-on-error",
}

#: Tables of the file that hold the options of a command.
COMMAND_TABLES = frozenset({"evaluate", "generate"})

_PREFIX = "I2S_"


@dataclass(frozen=True, slots=True)
class ValueSource:
    """Where a value comes from."""

    #: The field.
    name: str
    #: What a person calls it, such as "--set jobs" or the name of a variable.
    label: str


def refuse_secret(name: str, label: str) -> None:
    """Return if a field may be given in a place that others can read.

    Raises:
        SettingsError: It is a secret.
    """
    if name in SECRETS:
        file = name.replace("token", "token_file", 1)
        raise SettingsError(
            f"{label}: a token is not given there, where others can read it; "
            f"set {_PREFIX}{name.upper()} or name a file with {names_of(file)}"
        )


def names_of(name: str) -> str:
    """Return the option and the variable of a field, for messages."""
    return f"{flag_of(name)} or {_PREFIX}{name.upper()}"


def flag_of(name: str) -> str:
    """Return the option of a field."""
    return FLAGS.get(name, f"--set {name}")


def require_addresses(renderers: str) -> None:
    """Return if the setting ``other_renderers`` is of its form.

    Raises:
        SettingsError: It is not.
    """
    for pair in filter(None, renderers.split(",")):
        name, _, address = pair.partition("=")
        if not name.strip() or not ADDRESS.fullmatch(address.strip()):
            raise SettingsError(
                f"{names_of('other_renderers')}: {pair!r} is not of the form NAME=127.0.0.1:7710"
            )


def no_such(name: str, known: set[str]) -> str:
    """Return the message about a field that there is not."""
    return f"no setting is called {name!r}; there are: {', '.join(sorted(known))}"


def values_of_environment(environ: Mapping[str, str], known: set[str]) -> list[tuple[ValueSource, str]]:
    """Return the values that variables give, without empty ones."""
    variables = {name: f"{_PREFIX}{name.upper()}" for name in sorted(known)}
    return [(ValueSource(name, key), environ[key]) for name, key in variables.items() if environ.get(key)]


def command_tables(config: str | None) -> tuple[Path, dict[str, dict[str, object]]]:
    """Return the configuration file, and its tables by name: options of single commands.

    Args:
        config: The file; None takes I2S_CONFIG, else i2s.toml of the working folder if there is one.

    Raises:
        SettingsError: The file cannot be read.
    """
    path, content = _content(Path(config) if config else None, os.environ)
    return path, {name: value for name, value in content.items() if isinstance(value, dict)}


def _content(config: Path | None, environ: Mapping[str, str]) -> tuple[Path, dict[str, Any]]:
    """Return the configuration file and what it holds; nothing if there is none.

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


def values_of_file(
    config: Path | None, environ: Mapping[str, str], known: set[str]
) -> list[tuple[ValueSource, object]]:
    """Return the values that the configuration file gives.

    Raises:
        SettingsError: It cannot be read, or says something that it may not.
    """
    path, content = _content(config, environ)
    for name in COMMAND_TABLES & content.keys():
        if isinstance(content[name], dict):
            del content[name]
    unknown = sorted(set(content) - known)
    if unknown:
        raise SettingsError(f"{path}: {no_such(unknown[0], known)}")
    for name in content:
        refuse_secret(name, f"{path}: {name}")
    return [(ValueSource(name, f"{path}: {name}"), value) for name, value in content.items()]
