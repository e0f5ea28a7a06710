"""What ``i2s.toml`` of the working folder may not say: it may have come with somebody's download.

A file that was named (``--config``, I2S_CONFIG) is the user's own word and may say anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from i2s_client.service_table import SERVICES
from i2s_sdk.errors import SettingsError

#: Settings that only a named file may have, and what they name.
_SETTINGS = {
    **{one.setting: "the address of a service" for one in SERVICES},
    "other_renderers": "the address of a service",
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
    "log-to": "the address of a service that is sent values",
    "prompts": "files that are sent to a model's server",
    "key-env": "a secret that is sent to a server",
    **{one.flag.removeprefix("--"): "the address of a service" for one in SERVICES},
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
    for key, what in _reaching(content):
        raise SettingsError(
            f"{path}: {key} names {what}, which a file that is found in the working folder may not; "
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
                what = _option(option.replace("_", "-"), given)
                if what:
                    yield f"[{key}] {option}", what


def _option(option: str, given: object) -> str:
    """Return what an option of a command names; empty for nothing that matters here."""
    texts = [str(one) for one in given] if isinstance(given, list) else [str(given)]
    match option:
        case "model" if any(one.startswith("command:") for one in texts):
            return "a program"
        case "model" if any(map(_is_local_model, texts)):
            return "a model of this folder, which may hold programs"
        case "cache" if not {"answers", "none"}.issuperset(texts):
            return _ANSWERS
        case "out" if any("://" in one for one in texts):
            return "the address of an object store"
        case "set":
            names = (one.partition("=")[0].strip().replace("-", "_") for one in texts)
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
