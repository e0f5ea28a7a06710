"""Models that run here: the baseline, one of transformers, one of inspect_ai."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk.data import Instance
from i2s_sdk.models import Finish, ModelAccessError, ModelOptions, close_model, open_model
from questions import complete

from .conftest import ModelServer, answer_to

pytestmark = pytest.mark.integration

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"

_OFFLINE = """
import asyncio, json, socket, sys
from pathlib import Path

def no_network(*arguments):
    raise AssertionError(f"the network was used: {arguments}")

socket.socket.connect = no_network
socket.getaddrinfo = no_network
from i2s_sdk.data import Instance
from i2s_sdk.models import open_model
from i2s_sdk.tasks.question import task_prompt
from i2s_sdk.tasks.question import texts_then_image

async def main():
    model = open_model("baseline/ocr")
    found = {}
    for task, prompt, image in json.loads(sys.argv[1]):
        question = texts_then_image(task_prompt(prompt), Path(image))
        said = await model.complete(Instance("a", task, "s", Path(image)), question)
        found[task] = said.text
    print(json.dumps(found))

asyncio.run(main())
"""


@pytest.mark.nightly(instead="the baseline on examples (recorded/test_results), which might use a network")
def test_the_baseline_reads_without_a_network() -> None:
    references = EXAMPLES / "references"
    asked = [
        ["latex", "latex", str(references / "algorithm-power-iteration.png")],
        ["webpage", "webpage", str(references / "algorithm-power-iteration.png")],
        ["music", "musicsheet", str(references / "equation-gaussian-posterior.png")],
    ]
    answer = subprocess.run(
        [sys.executable, "-c", _OFFLINE, json.dumps(asked)], capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    said = json.loads(answer.stdout)
    assert "Power iteration" in said["latex"]
    assert "Power iteration" in said["webpage"]
    assert said["latex"].startswith("```latex\n")
    assert r"\new Staff" in said["music"]


async def test_the_baseline_reads_an_empty_picture_as_an_empty_page(tmp_path: Path) -> None:
    Image.new("L", (300, 200), 255).save(tmp_path / "a.png")
    said = await complete(open_model("baseline/ocr"), Instance("a", "latex", "equation", tmp_path / "a.png"))
    assert r"\put" not in said.text
    assert r"\begin{picture}(300,200)" in said.text


def _picture(folder: Path) -> Instance:
    Image.new("RGB", (40, 30), "white").save(folder / "p.png")
    return Instance("p", "latex", "equation", folder / "p.png")


async def test_inspect_ai_asks_once_for_each_attempt_of_ours(
    server: ModelServer,
    instances: Callable[[int], list[Instance]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("inspect_ai")
    monkeypatch.setenv("HERE_API_KEY", "k")
    server.behaviour = lambda asked, before: ("status:500", "status:429,0", "drop", "answer")[before]
    options = ModelOptions(base_url=f"{server.base}/v1", cache=None, first_pause=0.01, max_tokens=55)
    model = open_model("inspect/openai-api/here/some-model", options)
    said = await complete(model, instances(1)[0])
    await close_model(model)
    assert model.name == "inspect/openai-api/here/some-model"
    assert said.text == answer_to("question-0")
    assert (said.attempts, server.came.total(), server.completed.total()) == (4, 4, 1)
    assert (said.tokens_in, said.tokens_out, said.finish) == (110, 20, Finish.STOP)
    assert server.requests[0].text == "Be short.\nWrite LaTeX."
    assert (server.requests[0].body["max_tokens"], server.requests[0].body["temperature"]) == (55, 0.0)


async def test_inspect_ai_says_what_it_does_not_know(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    model = open_model("inspect/nobody/model", ModelOptions(cache=None))
    with pytest.raises(ModelAccessError, match=r"inspect_ai cannot open 'nobody/model'"):
        await complete(model, _picture(tmp_path))


_TINY = """
import asyncio, json, sys
sys.modules["torchvision"] = None  # pictures are prepared by Pillow, whatever is installed
from pathlib import Path
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    CLIPImageProcessor, CLIPVisionConfig, LlamaConfig, LlavaConfig, LlavaForConditionalGeneration,
    LlavaProcessor, PreTrainedTokenizerFast,
)
from i2s_sdk.data import Instance
from i2s_sdk.models import ModelOptions, close_model, open_model
from i2s_sdk.tasks.question import ImagePart, Question, TextPart

folder, picture = Path(sys.argv[1]), Path(sys.argv[2])
alphabet = ["<unk>", "<pad>", "<s>", "</s>", "<image>", *map(chr, range(32, 127)), chr(10)]
letters = Tokenizer(models.WordLevel({one: n for n, one in enumerate(alphabet)}, unk_token="<unk>"))
letters.pre_tokenizer = pre_tokenizers.Split("", "isolated")
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=letters, unk_token="<unk>", pad_token="<pad>", bos_token="<s>", eos_token="</s>",
    additional_special_tokens=["<image>"],
)
template = (
    "{% for m in messages %}{% for c in m['content'] %}{% if c['type'] == 'image' %}<image>{% else %}"
    "{{ c['text'] }}{% endif %}{% endfor %}{% endfor %}"
)
images = CLIPImageProcessor(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16})
small = {"hidden_size": 16, "intermediate_size": 16, "num_attention_heads": 2}
torch.manual_seed(0)
LlavaForConditionalGeneration(LlavaConfig(
    vision_config=CLIPVisionConfig(**small, num_hidden_layers=2, image_size=16, patch_size=8).to_dict(),
    text_config=LlamaConfig(
        **small, num_hidden_layers=1, num_key_value_heads=2, vocab_size=len(alphabet),
        pad_token_id=1, bos_token_id=2, eos_token_id=3,
    ).to_dict(),
    image_token_index=4, vision_feature_layer=-1,
)).save_pretrained(folder)
LlavaProcessor(
    images, tokenizer, patch_size=8, vision_feature_select_strategy="default", chat_template=template,
    num_additional_image_tokens=1,
).save_pretrained(folder)

async def main():
    model = open_model(f"hf/{folder}", ModelOptions(max_tokens=12, cache=None))
    instance = Instance("a", "latex", "s", picture)
    text, image = TextPart("Be short.\\nGo."), ImagePart(picture)
    plain = Question((text, image))
    both = [await model.complete(instance, plain) for _ in range(2)]
    others = Question((image, text, image), system="Yes.", max_tokens=3), Question((text,))
    both += [await model.complete(instance, one) for one in others]
    await close_model(model)
    print(json.dumps([[one.text, one.finish, one.tokens_in, one.tokens_out] for one in both]))

asyncio.run(main())
"""


def test_a_tiny_model_of_transformers_answers_greedily(tmp_path: Path) -> None:
    """Its weights are random: that it answers the same each time is all that can be said of the text."""
    pytest.importorskip("transformers")
    Image.new("RGB", (40, 30), "white").save(tmp_path / "p.png")
    answer = subprocess.run(
        [sys.executable, "-c", _TINY, str(tmp_path / "model"), str(tmp_path / "p.png")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    first, second, several, none = json.loads(answer.stdout.splitlines()[-1])
    assert first == second
    assert several[2:] == [len("Yes.Be short.\nGo.") + 2 * (16 // 8) ** 2, 3]
    assert none[2] == len("Be short.\nGo.")
    text, finish, tokens_in, tokens_out = first
    assert text
    assert tokens_in == len("Be short.\nGo.") + (16 // 8) ** 2
    assert (finish, tokens_out) == ("length", 12)


async def test_a_folder_without_model_is_told(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    model = open_model(f"hf/{tmp_path}", ModelOptions(cache=None))
    with pytest.raises(ModelAccessError, match="cannot be loaded"):
        await complete(model, _picture(tmp_path))
