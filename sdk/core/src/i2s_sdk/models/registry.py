"""The models by their names. What a model needs is imported when it is named."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from importlib.metadata import EntryPoint

from i2s_client.plugins import PluginGroup, load_plugin, package_of, plugins_beside
from i2s_sdk.errors import I2SError, PluginError, UnknownNameError, UsageError
from i2s_sdk.models.model import Model, ModelLike, as_model
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.provider import ModelProvider, ProviderLike, as_provider
from i2s_sdk.own_code import OwnFunction, is_own_code

#: Names of models, with descriptions.
MODELS = {
    "oracle": "the ground truth: the upper bound of every metric",
    "baseline/ocr": "reads the words of the image and puts them where they stood; needs no network",
    "baseline/pdftotext": "the text of a PDF document, by poppler's program pdftotext; needs no network",
    "baseline/chance": "one of the choices of an instance, the same at every run",
    "baseline/blank": "an answer that shows nothing, in the size of the reference",
    "baseline/constant": "the same answer to every instance of a task",
    "baseline/shuffled": "the ground truth of another instance of the subset",
    "openai/NAME": "OpenAI, or with a base URL any server that speaks its chat completions",
    "anthropic/NAME": "Anthropic",
    "google/NAME": "Google",
    "hf/NAME": "a model of Hugging Face, run here by transformers",
    "inspect/PROVIDER/NAME": "any model that inspect_ai knows",
    "command:PROGRAM": "your own program",
    "FILE.py:NAME": "your own function in a Python file",
    "replay:PATH": "completions recorded before: JSON lines, a run folder, or folders of HELM",
}

#: What names of well-known models begin with, and whose they are.
_FAMILIES = {
    "gpt": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "claude": "anthropic",
    "gemini": "google",
}


_VENDORS = ("openai", "anthropic", "google", "hf", "inspect")

#: Names of models that need no further part.
_BASELINES = frozenset(name for name in MODELS if name == "oracle" or name.startswith("baseline/"))

#: What names of models of this package begin with.
_OWN_KINDS = frozenset(re.split("[/:]", form)[0] for form in MODELS)


def open_model(name: str | ModelLike | Model, options: ModelOptions | None = None) -> Model:
    """Return the model that a name means.

    Args:
        name: Name as in MODELS, or a model, or an object that can stand for one; see ``ModelLike``.
        options: Options of the calls of a model that is called; None takes the defaults.

    Raises:
        UnknownNameError: There is no such model.
        UsageError: The name lacks a part, or a key or a package is missing.
        DataError: What a replay names cannot be used.
        PluginError: The model is of another package, which cannot be used.
    """
    if not isinstance(name, str):
        return as_model(name)
    options = options or ModelOptions()
    if name in _BASELINES:
        return _baseline(name, options)
    kind, colon, rest = name.partition(":")
    if kind == "replay" and (colon or not rest):
        return _replay(rest, options)
    if kind == "command":
        return _provider_model(_command(rest, options), options)
    if is_own_code(name):
        from i2s_sdk.models.own import FunctionModel

        return _provider_model(FunctionModel(OwnFunction.parse(name), options), options)
    packaged = _packaged(name, options)
    if packaged is not None:
        return packaged
    vendor, slash, model = name.partition("/")
    if slash and vendor in _VENDORS:
        _require_parts(vendor, model)
        return _provider_model(_provider(vendor, model, options), options)
    raise _unknown(name)


def require_model(name: str) -> None:
    """Check that a name is that of a model, whether or not its key and package are here.

    Raises:
        UnknownNameError: There is no such model.
        UsageError: The name lacks a part.
        DataError: What a replay names cannot be used.
    """
    vendor, slash, model = name.partition("/")
    if slash and vendor in _VENDORS:
        _require_parts(vendor, model)
    elif name not in ("baseline/ocr", "baseline/pdftotext") and vendor not in packaged_models():
        open_model(name)


def reads_documents(name: str) -> bool:
    """Return whether a model answers documents as a whole, whether or not its key and package are here.

    Raises:
        UsageError: There is no such model; see ``require_model``.
    """
    if name == "baseline/pdftotext":
        return True
    vendor, slash, _ = name.partition("/")
    return not (slash and vendor in _VENDORS) and open_model(name).whole


def packaged_models() -> Mapping[str, EntryPoint]:
    """Return the entry points of models of other packages, by the beginnings of their names."""
    return plugins_beside(PluginGroup.MODELS, _OWN_KINDS)


def _baseline(name: str, options: ModelOptions) -> Model:
    if name == "baseline/ocr":
        from i2s_sdk.models.baselines import OcrBaseline

        return OcrBaseline()
    if name == "baseline/pdftotext":
        from i2s_sdk.models.baselines import PdfToText

        return PdfToText(options)
    from i2s_sdk.models.baselines import BASELINES

    return BASELINES[name]()


def _packaged(name: str, options: ModelOptions) -> Model | None:
    """Return a model of another package; None if no package provides it.

    Raises:
        PluginError: The package cannot be used.
        I2SError: What the package raises of this package's errors.
    """
    kind, _, rest = name.partition("/")
    plugin = packaged_models().get(kind)
    if plugin is None:
        return None
    make = load_plugin(plugin)
    try:
        made = make(rest, options)  # type: ignore[operator]
    except I2SError:
        raise
    except Exception as error:  # the code of another package may raise anything
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise PluginError(plugin.group, kind, package_of(plugin), reason) from error
    if hasattr(made, "ask"):
        return _provider_model(made, options)
    if hasattr(made, "complete"):
        return as_model(made)
    reason = f"what {plugin.value} returns has neither 'complete' nor 'ask'"
    raise PluginError(plugin.group, kind, package_of(plugin), reason)


def _replay(path: str, options: ModelOptions) -> Model:
    from i2s_sdk.models.replay import open_replay

    if not path:
        raise UsageError("model 'replay' needs a file or folder: replay:completions.jsonl")
    return open_replay(path, options.completion_characters)


def _command(line: str, options: ModelOptions) -> ModelProvider:
    from i2s_sdk.models.command import command_provider

    if not line.strip():
        raise UsageError("model 'command' needs a program: command:'./my-model --fast'")
    return command_provider(line, options)


def _provider(vendor: str, model: str, options: ModelOptions) -> ModelProvider:
    match vendor:
        case "openai":
            from i2s_sdk.models.openai_chat import OpenAIChat

            return OpenAIChat(model, options)
        case "anthropic":
            from i2s_sdk.models.anthropic_messages import AnthropicMessages

            return AnthropicMessages(model, options)
        case "google":
            from i2s_sdk.models.google_genai import GoogleGenAI

            return GoogleGenAI(model, options)
        case "hf":
            from i2s_sdk.models.hf_local import HuggingFaceModel

            return HuggingFaceModel(model, options)
    from i2s_sdk.models.inspect_ai_model import InspectModel

    return InspectModel(model, options)


def _require_parts(vendor: str, model: str) -> None:
    if not model or (vendor == "inspect" and "/" not in model):
        needed = next(form for form in MODELS if form.startswith(f"{vendor}/"))
        raise UsageError(f"model {f'{vendor}/{model}'!r} lacks a part: {needed}")


def _provider_model(provider: ProviderLike | ModelProvider, options: ModelOptions) -> Model:
    from i2s_sdk.models.provider_model import ProviderModel

    if options.batching is None:
        return ProviderModel(provider, options)
    from i2s_sdk.models.batches import batched

    return ProviderModel(batched(as_provider(provider), options, options.batching), options.of_batches)


def _unknown(name: str) -> UsageError:
    """Return the error that says what was perhaps meant."""
    family = next((vendor for start, vendor in _FAMILIES.items() if name.startswith(start)), None)
    if family is not None and "/" not in name:
        return UsageError(f"model {name!r} lacks its vendor; did you mean {f'{family}/{name}'!r}?")
    parts = re.fullmatch(r"([^/:]*)[/:](.*)", name)
    forms = {re.split("[/:]", form)[0]: form for form in MODELS}
    close = difflib.get_close_matches(parts[1].lower(), forms, n=1, cutoff=0.7) if parts else []
    if parts and close and close[0] not in ("oracle", "baseline"):
        mark = ":" if ":" in forms[close[0]] else "/"
        return UsageError(f"no model is called {name!r}; did you mean {close[0] + mark + parts[2]!r}?")
    others = (f"{packaged_model}/NAME" for packaged_model in packaged_models())
    return UnknownNameError("model", name, (*MODELS, *others))
