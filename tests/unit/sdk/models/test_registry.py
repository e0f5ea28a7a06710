"""The models that names stand for, and the message if a name, a key or a package is missing."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from i2s_sdk.errors import UnknownNameError, UsageError
from i2s_sdk.models import ModelOptions, open_model
from i2s_sdk.models.provider_model import ProviderModel
from i2s_wire.installation import install_command

OPTIONS = ModelOptions(base_url="http://127.0.0.1:1/v1", cache=None)
#: Modules of the vendors' packages and of what they stand on.
HEAVY = {
    "openai", "anthropic", "google", "transformers", "torch", "inspect_ai", "rapidocr", "onnxruntime",
    "numpy", "PIL", "httpx", "httpx2", "aiohttp", "pydantic", "cv2", "tenacity", "grpc",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("orcale", "oracle"),
        ("baseline/orc", "baseline/ocr"),
        ("opanai/gpt-4o", "openai/gpt-4o"),
        ("openai:gpt-4o", "openai/gpt-4o"),
        ("anthropics/claude-3-haiku", "anthropic/claude-3-haiku"),
        ("gpt-4o", "openai/gpt-4o"),
        ("claude-3-opus-20240229", "anthropic/claude-3-opus-20240229"),
        ("gemini-2.5-pro", "google/gemini-2.5-pro"),
        ("replay/answers.jsonl", "replay:answers.jsonl"),
        ("comand:./x", "command:./x"),
    ],
)
def test_a_wrong_name_is_told_with_what_was_perhaps_meant(name: str, meant: str) -> None:
    with pytest.raises(UsageError, match=rf"did you mean '{meant}'") as raised:
        open_model(name)
    assert "\n" not in raised.value.message


@pytest.mark.parametrize("name", ["", "nothing like it", "oracle:x", "oracle/x", "baseline/", "xyz/abc"])
def test_a_name_like_no_other_is_told_with_all(name: str) -> None:
    with pytest.raises(UsageError) as raised:
        open_model(name)
    assert isinstance(raised.value, UnknownNameError) or "did you mean" in raised.value.message


@pytest.mark.parametrize(
    "name", ["openai/", "anthropic/", "hf/", "inspect/", "inspect/openai", "command:", "command"]
)
def test_a_name_that_lacks_a_part_is_told(name: str) -> None:
    with pytest.raises(UsageError, match=r"lacks a part|needs a program"):
        open_model(name)


@pytest.mark.parametrize(
    ("vendor", "variable"),
    [("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY"), ("google", "GEMINI_API_KEY")],
)
def test_a_missing_key_is_one_line_with_the_command_that_mends_it(
    vendor: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (variable, "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError) as raised:
        open_model(f"{vendor}/m")
    assert raised.value.message == f"model '{vendor}/m' needs a key: export {variable}=YOUR_KEY"


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("openai/m", "openai", "openai"),
        ("anthropic/m", "anthropic", "anthropic"),
        ("google/m", "google.genai", "google"),
        ("hf/a/b", "transformers", "hf"),
        ("inspect/a/b", "inspect_ai", "inspect"),
        ("baseline/ocr", "rapidocr", "ocr"),
    ],
)
def test_a_missing_package_is_one_line_with_the_command_that_mends_it(
    name: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda n: None if n == package else find(n))
    with pytest.raises(UsageError) as raised:
        open_model(name, OPTIONS)
    command = install_command(f"i2s-sdk[{extra}]")
    assert raised.value.message == f"model {name!r} needs the package {package}: {command}"


def test_what_a_run_is_told_apart_by_names_model_address_and_parameters() -> None:
    model = open_model("openai/m", ModelOptions(base_url="http://h:1/v1", max_tokens=9, cache=None))
    assert model.name == "openai/m"
    assert json.loads(model.fingerprint) == {"base_url": "http://h:1/v1", "max_tokens": 9, "temperature": 0.0}


@pytest.mark.parametrize("name", ["openai/m", "anthropic/m", "google/m", "inspect/openai/m"])
def test_what_is_secret_in_an_address_is_sent_and_not_written_down(name: str) -> None:
    address = "http://ann:hidden@127.0.0.1:1/v1?key=hidden"
    model = open_model(name, ModelOptions(base_url=address, cache=None))
    assert isinstance(model, ProviderModel)
    assert json.loads(model.fingerprint)["base_url"] == "http://127.0.0.1:1/v1"
    assert model.provider.base_url == "http://127.0.0.1:1/v1"
    with pytest.raises(UsageError) as raised:
        ModelOptions(base_url=address.replace("http", "ftp"))
    assert "hidden" not in raised.value.message


@pytest.mark.parametrize(
    "given",
    [{"base_url": "localhost:8000"}, {"base_url": "ftp://a"}, {"call_seconds": 0.0}, {"max_tokens": 0},
     {"concurrency": 0}, {"temperature": -1.0}, {"retry_seconds": float("inf")}, {"failures": 0}],
)  # fmt: skip
def test_options_without_meaning_are_told(given: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=next(iter(given)).replace("_", "[-_]")):
        ModelOptions(**given)  # type: ignore[arg-type]


def _modules_after(code: str, folder: Path) -> set[str]:
    command = [sys.executable, "-c", f"import sys\n{code}\nprint('modules', *sys.modules)"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    return {name.partition(".")[0] for name in answer.stdout.partition("modules ")[2].split()}


def test_listing_models_imports_nothing_that_they_need(tmp_path: Path) -> None:
    code = "from i2s_sdk.models import MODELS, ModelOptions, open_model; ModelOptions()"
    assert not HEAVY & _modules_after(code, tmp_path)


def test_a_model_without_network_imports_no_vendor(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "a", "completion": "x"}\n')
    code = "from i2s_sdk.models import open_model; open_model('oracle'); open_model('replay:a.jsonl')"
    assert not (HEAVY - {"numpy", "PIL"}) & _modules_after(code, tmp_path)


def test_the_baseline_imports_its_engine_when_it_reads(tmp_path: Path) -> None:
    code = "from i2s_sdk.models import open_model; open_model('baseline/ocr')"
    assert not (HEAVY - {"numpy"}) & _modules_after(code, tmp_path)
