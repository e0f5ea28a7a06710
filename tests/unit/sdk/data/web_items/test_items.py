"""Items of one page and of two."""

import io
from collections import Counter

import pytest
from PIL import Image

from drawn_pages import drawn, element, link, meta
from i2s_sdk.data.web_items.actions import action_items
from i2s_sdk.data.web_items.elements import HEIGHT, WIDTH, NoRoomError, framed, lettered, ratios
from i2s_sdk.data.web_items.items import description_of, page_items
from i2s_sdk.tasks.visualwebbench.letters import LETTERS

RED = (220, 0, 0)


def image(png):
    return Image.open(io.BytesIO(png)).convert("RGB")


def made(page, seed=0, per_page=2):
    refused = Counter()
    return list(page_items(page, per_page, seed, refused)), refused


def rows(count):
    return [
        element(f"text {number}", 40 + 300 * (number % 4), 100 + 60 * (number // 4))
        for number in range(count)
    ]


def test_a_page_has_its_description_and_its_one_largest_heading():
    title = element("Welcome", 10, 10, tag="h1", role="heading", height=40)
    small = element("More", 10, 100, tag="h1", role="heading")
    items, _ = made(drawn(meta("A shop  for all\nkinds of boats."), title, small))
    found = {item.task: item for item in items if item.task != "element_ocr"}
    assert found["web_caption"].target == "A shop for all kinds of boats."
    assert (found["heading_ocr"].target, found["heading_ocr"].image) == ("Welcome", None)


def test_what_a_page_lacks_is_counted():
    _, refused = made(drawn(meta("Short."), element("One", 10, 10)))
    assert refused == {
        "web_caption: no description of the page": 1,
        "heading_ocr: no heading": 1,
        "element_ground: fewer than eight elements that do not overlap": 1,
    }
    twins = [element(text, 10, y, tag="h1", role="heading") for text, y in (("One", 10), ("Two", 90))]
    assert made(drawn(*twins))[1]["heading_ocr: several headings"] == 1
    covered = element("One", 10, 10, tag="h1", role="heading", covered=True)
    assert made(drawn(covered))[1]["heading_ocr: the heading is not fit"] == 1


def test_the_text_of_an_element_is_asked_for_with_a_red_frame_around_it():
    (item,) = (one for one in made(drawn(element("Hello  there", 100, 200)))[0] if one.task == "element_ocr")
    assert item.target == "Hello there"
    assert item.inputs["bbox"] == [0.0781, 0.1953, 0.1719, 0.2148]
    picture = image(item.image)
    assert picture.getpixel((98, 205)) == RED
    assert picture.getpixel((160, 210)) == (255, 255, 255)


def test_a_choice_has_eight_frames_apart_and_the_gold_one_among_them():
    items, refused = made(drawn(*rows(12)), per_page=1)
    ground, box, point = (item for item in items if item.task.startswith("element_ground"))
    assert (box.task, point.task) == ("element_ground_box", "element_ground_point")
    assert box.image is None
    assert ground.inputs["options"] == box.inputs["options"]
    assert len(ground.inputs["options"]) == len(LETTERS)
    left, top, _, _ = ground.inputs["options"][ground.target]
    gold = next(row for row in rows(12) if ratios(row, WIDTH, HEIGHT)[:2] == [left, top])
    assert ground.inputs["elem_desc"] == f"the paragraph “{gold.text}”"
    assert image(ground.image).getpixel((round(gold.x) - 2, round(gold.y) + 5)) == RED
    assert not refused - Counter(["web_caption: no description of the page", "heading_ocr: no heading"])


@pytest.mark.slow
def test_wrong_choices_are_those_of_the_same_kind_and_size():
    alike = rows(8)
    links = [
        link(f"link {number}", 40 + 300 * (number % 4), 500 + 60 * (number // 4), "") for number in range(8)
    ]
    for item in made(drawn(*alike, *links), per_page=16)[0]:
        if item.task == "element_ground":
            tops = {box[1] > 0.4 for box in item.inputs["options"]}
            assert len(tops) == 1, "all are links, or none is"


@pytest.mark.slow
def test_the_same_seed_gives_the_same_items_and_another_one_others():
    def chosen(seed):
        return [(one.task, one.target, one.inputs, one.image) for one in made(drawn(*rows(20)), seed)[0]]

    assert chosen(1) == chosen(1)
    assert chosen(1) != chosen(2)


def test_letters_cover_no_candidate_and_where_possible_nothing_else():
    first, second = element("a", 100, 100), element("b", 100, 180)
    above = element("c", 90, 70)
    picture = image(lettered(drawn().png, [first, second], [above, first, second]))
    assert picture.getpixel((110, 90)) == (255, 255, 255), "the usual place is taken"
    assert any(picture.getpixel((x, 125 + 10)) != (255, 255, 255) for x in range(97, 117))
    with pytest.raises(NoRoomError):
        lettered(drawn().png, [element("a", 3, 3, width=1274, height=1018)])


def test_a_frame_lies_outside_of_its_element():
    picture = image(framed(drawn().png, element("a", 100, 100)))
    assert picture.getpixel((100, 100)) == (255, 255, 255)
    assert picture.getpixel((99, 99)) == RED


def test_elements_are_told_by_their_kind():
    assert description_of(link("Home", 0, 0, "")) == "the link “Home”"
    assert description_of(element("Home", 0, 0, role="", clickable=True)) == "the clickable element “Home”"
    assert description_of(element("Home", 0, 0, role="")) == "the text “Home”"


def site(count=9, **more):
    """Pages that all link to one another."""
    pages = []
    for number in range(count):
        others = [other for other in range(count) if other != number]
        links = [
            link(f"to {other}", 40 + 300 * (place % 4), 100 + 60 * (place // 4), f"{other}.html")
            for place, other in enumerate(others)
        ]
        about = meta(more.get("about", f"This is page number {number} of the site."))
        pages.append(drawn(about, *links, *more.get("extra", ()), path=f"{number}.html"))
    return tuple(pages)


def actions(pages, per_page=1):
    refused = Counter()
    return list(action_items(pages, per_page, 0, refused)), refused


@pytest.mark.slow
def test_what_comes_after_a_click_is_one_of_eight_descriptions():
    items, refused = actions(site())
    found = [one for one in items if one.task == "action_prediction"]
    assert len(found) == 9
    for item in found:
        number = item.inputs["elem_desc"].removeprefix("to ")
        assert item.inputs["options"][item.target] == f"This is page number {number} of the site."
        assert len(set(item.inputs["options"])) == 8
    assert refused == {}


@pytest.mark.slow
def test_where_to_click_is_one_of_eight_elements():
    items, _ = actions(site())
    found = [one for one in items if one.task == "action_ground"]
    assert len(found) == 9
    for item in found:
        number = item.inputs["instruction"].partition("number ")[2][0]
        gold = next(one for one in item.page.elements if one.text == f"to {number}")
        assert item.inputs["options"][item.target] == ratios(gold, WIDTH, HEIGHT)


@pytest.mark.slow
def test_links_that_are_ambiguous_are_refused():
    again = link("once more", 700, 900, "3.html")
    items, refused = actions(site(extra=(again,)), per_page=9)
    assert "to 3" not in {item.inputs.get("elem_desc") for item in items}
    assert refused["action: two links lead to the page"] == 16  # both links of eight pages
    assert actions(site(about="The same of all pages here."))[1]["action: description stands twice"] == 9
    assert actions(site(about="Short."))[1]["action: no description of the page"] == 9
    assert actions(site(7))[1]["action_prediction: fewer than eight described pages"] == 7
