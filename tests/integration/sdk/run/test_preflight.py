"""The model of a run is asked a small question before it begins; without an answer nothing is started."""

from __future__ import annotations

import hashlib
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from chat_server import ChatServer
from i2s_sdk import evaluate
from i2s_sdk.data.folder import read_folder
from i2s_sdk.models import ModelAccessError, ModelOptions, open_model
from i2s_sdk.models.completion import AllCallsFailedError
from i2s_sdk.run.stages import generate
from i2s_sdk.settings import Settings

pytestmark = pytest.mark.integration

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"


def _options(base: str, **more: object) -> ModelOptions:
    return ModelOptions(base_url=base, cache=None, first_pause=0.001, **more)  # type: ignore[arg-type]


@pytest.fixture
def closed_port() -> str:
    """An address at which nobody listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{unused.getsockname()[1]}/v1"


def test_no_service_is_started_for_a_server_that_is_not_there(tmp_path: Path, closed_port: str) -> None:
    model = open_model("openai/tiny", _options(closed_port))
    with pytest.raises(ModelAccessError, match="no connection"):
        evaluate(EXAMPLES, model, out=tmp_path / "run", settings=Settings(), tasks=("latex",))
    assert not list(tmp_path.iterdir())


def test_the_model_is_asked_once_more_than_the_questions(tmp_path: Path) -> None:
    with ChatServer(answers={}, questions={}).serving() as server:
        model = open_model("openai/tiny", _options(server.base, failures=1))
        with pytest.raises(AllCallsFailedError):  # the server knows no image
            generate(EXAMPLES, model, out=tmp_path / "run", settings=Settings(like_failures=1), limit=1)
        assert server.done["preflight"] == 1


def test_a_model_whose_answers_are_all_kept_is_not_asked(tmp_path: Path) -> None:
    (instance, *_) = (one for one in read_folder(EXAMPLES).instances if one.task == "latex")
    assert instance.image is not None
    picture = hashlib.sha256(instance.image.read_bytes()).hexdigest()
    with ChatServer(answers={"one": "$x$"}, questions={picture: "one"}).serving() as server:
        for name in ("first", "second"):
            options = _options(server.base, failures=1)
            model = open_model("openai/tiny", replace(options, cache=tmp_path / "cache"))
            generate(
                EXAMPLES, model, out=tmp_path / name, settings=Settings(), tasks=("latex",),
                samples=(instance.id,),
            )  # fmt: skip
        assert (server.done["preflight"], server.came["one"]) == (1, 1)
