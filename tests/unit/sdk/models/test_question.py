"""Questions as providers see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.errors import DataError
from i2s_sdk.models.question import Message, read_question
from i2s_sdk.tasks import ImagePart, Question, TextPart
from named_pictures import named_picture


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    (tmp_path / "a.png").write_bytes(named_picture("a"))
    return Instance("a", "latex", "s", tmp_path / "a.png")


def test_texts_that_follow_one_another_are_one_and_images_stand_where_they_stand(instance: Instance) -> None:
    image, (one, two, none) = ImagePart(instance.image), map(TextPart, ("one", "\ntwo", ""))
    read = read_question(instance, Question((none, one, two, image, none, image, one, none, two)))
    picture = read.images[0]
    assert read.parts == ("one\ntwo", picture, picture, "one\ntwo")
    assert (read.text, picture.content) == ("one\ntwoone\ntwo", named_picture("a"))
    assert (picture.media_type, picture.width, picture.height) == ("image/png", 1, 1)
    assert read.text_and_image is None


def test_a_text_and_an_image_behind_it_are_known_as_such(instance: Instance) -> None:
    text, image = TextPart("one"), ImagePart(instance.image)
    read = read_question(instance, Question((text, text, image)))
    assert read.text_and_image == ("oneone", read.images[0])
    for parts in ((image, text), (text,), (image,), (text, image, image), ()):
        assert read_question(instance, Question(parts)).text_and_image is None


def test_everything_but_the_parts_is_as_it_was_given(instance: Instance) -> None:
    read = read_question(instance, Question((), "Be exact.", 7, {"type": "object"}, "page-2"))
    assert (read.id, read.system, read.max_tokens) == ("a", "Be exact.", 7)
    assert (read.json_schema, read.name) == ({"type": "object"}, "page-2")


def test_images_stand_first_for_vendors_who_advise_that_only_where_the_question_leaves_it_to_them(
    instance: Instance,
) -> None:
    parts = (TextPart("one"), ImagePart(instance.image), TextPart("two"))
    fixed = read_question(instance, Question(parts))
    assert fixed.messages_images_first == (Message("user", fixed.parts),)
    free = read_question(instance, Question(parts, vendor_order=True))
    assert free.parts == fixed.parts
    assert free.messages_images_first[0].parts == (free.images[0], "one", "two")


@pytest.mark.parametrize("content", [b"no picture", None])
def test_an_image_that_cannot_be_used_is_named(
    instance: Instance, tmp_path: Path, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "b.png").write_bytes(content)
    with pytest.raises(DataError, match=r"b\.png"):
        read_question(instance, Question((ImagePart(instance.image), ImagePart(tmp_path / "b.png"))))
