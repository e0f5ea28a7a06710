"""Where values of settings come from: environment and configuration file, and what a person calls them.

What ``i2s.toml`` of the working folder may not say is here too: it may have come with somebody's download. A
file that was named (``--config``, I2S_CONFIG) is the user's own word and may say anything.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from i2s_client.service_table import flag_of as flag_of_service
from i2s_client.service_table import service_names, setting_of
from i2s_sdk.errors import SettingsError
from i2s_sdk.json_text import read_toml
from i2s_sdk.own_code import is_own_code
from i2s_wire.renderer import RENDERER_NAME

_ADDRESS = "the address of a service"

#: Settings that hold the address of a service; those of renderers of other packages are the last.
ADDRESSES = tuple(map(setting_of, service_names()))

#: Settings that only a named file may have, and what they name.
_SETTINGS = {
    **dict.fromkeys(ADDRESSES, _ADDRESS),
    "other_renderers": _ADDRESS,
    "sobench_system_text": "a file that is sent to a model's server",
    "prompts": "files that are sent to a model's server",
    "evaluation_caches": "where what renderers answered is taken from",
    **dict.fromkeys(("tls_ca", "tls_cert", "tls_key"), "whom the services' addresses are trusted to be"),
}

#: What a folder of the answer cache is.
_ANSWERS = "where answers of a model are taken from"

#: The same of options of commands.
_OPTIONS = {
    "base-url": "the address of a model's server",
    "scorer": "a program",
    "log-to": "the address of a service that is sent values",
    "prompts": "files that are sent to a model's server",
    "key-env": "a secret that is sent to a server",
    **{flag_of_service(name).removeprefix("--"): _ADDRESS for name in service_names()},
}

#: Providers of inspect_ai to which a name is never a path: a server elsewhere or in a setting has the models.
_REMOTE_PROVIDERS = {
    *("anthropic", "azureai", "bedrock", "cloudflare", "deepseek", "fireworks", "google", "grok", "groq"),
    *("hf-inference-providers", "litellm-proxy", "meta", "mistral", "mockllm", "moonshot", "none", "openai"),
    *("openai-api", "openai-api-completions", "openrouter", "perplexity", "sagemaker", "sambanova"),
    "together",
}


def refuse_reach(path: Path, content: Mapping[str, Any]) -> None:
    """Return where a configuration file names no program to run and nobody to talk to.

    Args:
        path: Path of the file, which nobody named.
        content: Its keys and tables.

    Raises:
        SettingsError: It does; names the key and how to let the file.
    """
    for key, reach in _reaching(content):
        raise SettingsError(
            f"{path}: {key} names {reach}, which a file that is found in the working folder may not; "
            f"if the file is yours, name it: --config ./{path} (or I2S_CONFIG=./{path})"
        )


def _reaching(content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in content.items():
        if key == "answer_cache" and value not in ("yes", "no"):
            yield key, _ANSWERS
        elif key in _SETTINGS:
            yield key, _SETTINGS[key]
        elif isinstance(value, dict):
            for option, given in value.items():
                reach = _option(option.replace("_", "-"), given)
                if reach:
                    yield f"[{key}] {option}", reach


def _option(option: str, given: object) -> str:
    """Return what an option of a command names; empty for nothing that matters here."""
    texts = [str(one) for one in given] if isinstance(given, list) else [str(given)]
    match option:
        case "model" if any(text.startswith("command:") or is_own_code(text) for text in texts):
            return "a program"
        case "model" if any(map(_is_local_model, texts)):
            return "a model of this folder, which may hold programs"
        case "cache" if not {"answers", "none"}.issuperset(texts):
            return _ANSWERS
        case "out" if any("://" in text for text in texts):
            return "the address of an object store"
        case "set":
            names = (text.partition("=")[0].strip().replace("-", "_") for text in texts)
            return next((_SETTINGS[name] for name in names if name in _SETTINGS), "")
    return _OPTIONS.get(option, "")


def _is_local_model(model: str) -> bool:
    """Return whether the name of a model means files of this machine, which a provider would load."""
    vendor, _, name = model.partition("/")
    if vendor == "inspect":
        vendor, _, name = name.partition("/")
        if vendor in _REMOTE_PROVIDERS:
            return False
        # vLLM takes BASE:ADAPTER@REVISION, of which base and adapter may be paths.
        base, _, adapter = name.partition(":")
        return any(one and os.path.exists(one) for one in (name, base, adapter, adapter.partition("@")[0]))
    return vendor == "hf" and os.path.exists(name)


#: Read where neither --config nor I2S_CONFIG names another file. What it may not say: ``refuse_reach``.
DEFAULT_FILE = Path("i2s.toml")

#: The form of the address of a service.
ADDRESS = re.compile(r"(?:[a-z][a-z0-9]*:(?://[^\s/]*/)?)?[^\s/]+:\d{1,5}")

#: Secrets: they come from the environment alone, never from a command line or a file of settings.
SECRETS = ("token", *(f"token_{name}" for name in ADDRESSES))

#: Files with a token each.
TOKEN_FILES = ("token_file", *(f"token_file_{name}" for name in ADDRESSES))

#: Settings that some commands have a flag of their own for; all others are set by --set.
FLAGS = {
    **{setting_of(name): flag_of_service(name) for name in service_names()},
    "token_file": "--token-file",
    "profile": "--profile",
    "label": "--label",
    "note": "--note",
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
    for pair in filter(str.strip, renderers.split(",")):
        name, _, address = pair.partition("=")
        if not RENDERER_NAME.fullmatch(name.strip()) or not ADDRESS.fullmatch(address.strip()):
            raise SettingsError(
                f"{names_of('other_renderers')}: {pair!r} is not of the form render-NAME=127.0.0.1:7710"
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
