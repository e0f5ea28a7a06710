"""What of an answer is SVG, and what of it is drawn."""

import pytest

from i2s_sdk.tasks.structure import NoStructure
from i2s_sdk.tasks.svg.reading import DECLARES, ONLY_RASTER, extract, without_rasters
from linear_time import assert_linear

ROOT = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">'
RECT = '<rect width="5" height="5"/>'
DATA = "data:image/png;base64,AAAA"


@pytest.mark.parametrize(
    "answer",
    [
        f"```svg\n{ROOT}{RECT}</svg>\n```",
        f"Here it is:\n```xml\n{ROOT}{RECT}</svg>\n```\nIt has a rectangle.",
        f"Here it is: {ROOT}{RECT}</svg> It has a rectangle.",
        f"{ROOT}{RECT}</svg>",
    ],
)
def test_the_image_is_taken_out_of_an_answer(answer):
    assert extract(answer).code == f"{ROOT}{RECT}</svg>"


def test_prose_is_no_image():
    assert isinstance(extract("I cannot draw this."), NoStructure)


@pytest.mark.parametrize(
    "image",
    [
        f'<image href="{DATA}"/>',
        f"<image xlink:href='{DATA}' width='9'/>",
        '<image href=" DATA:image/png;base64,AAAA"/>',
        '<image href="d&#97;ta:image/png;base64,AAAA"/>',
        f"<image\n  href =\n  '{DATA}'/>",
    ],
)
def test_an_answer_that_only_embeds_a_raster_is_named_and_none(image):
    answer = extract(f"{ROOT}{image}</svg>")
    assert isinstance(answer, NoStructure)
    assert answer.reason == ONLY_RASTER
    assert "AAAA" not in without_rasters(f"{ROOT}{image}</svg>")


def test_beside_other_shapes_an_embedded_raster_is_not_drawn():
    answer = extract(f'{ROOT}<image href="{DATA}"/>{RECT}</svg>')
    assert "AAAA" in answer.code
    assert without_rasters(answer.code) == f'{ROOT}<image href=""/>{RECT}</svg>'


def test_an_entity_hides_no_raster():
    hidden = f'<!DOCTYPE svg [<!ENTITY d "{DATA}">]>{ROOT}<image href="&d;"/>{RECT}</svg>'
    assert '<image href=""/>' in without_rasters(hidden)


@pytest.mark.parametrize(
    ("declared", "image"),
    [
        ('<!ENTITY x "ata">', '<image href="d&x;:image/png;base64,AAAA"/>'),
        ('<!ENTITY eacute "ata">', '<image href="d&eacute;:image/png;base64,AAAA"/>'),
        ("<!ENTITY x \"<image hr&#101;f='data:image/png;base64,AAAA'/>\">", "&x;"),
        ('<!ENTITY % p "x">', ""),
        ('<!ATTLIST image href CDATA "data:image/png;base64,AAAA">', "<image/>"),
    ],
)
def test_declarations_of_what_could_hide_a_raster_are_refused(declared, image):
    answer = extract(f"<!DOCTYPE svg [{declared}]>{ROOT}{image}{RECT}</svg>")
    assert isinstance(answer, NoStructure)
    assert answer.reason == DECLARES


def test_a_part_of_a_reference_that_an_entity_may_hide_is_not_drawn():
    assert without_rasters('<image href="d&x;:image/png"/>') == '<image href=""/>'
    assert without_rasters('<image href="d&eacute;:image/png"/>') == '<image href=""/>'
    link = '<a href="https://example.org/?a=1&amp;b=&#50;">'
    assert without_rasters(link) == link


@pytest.mark.parametrize(
    "part", ["12345 ", "1", "a.", "a:", "href", "href=", "href='", 'href="', "href ", "&a"]
)
def test_rasters_are_looked_for_in_linear_time(part):
    def read(length):
        extract(f'{ROOT}<path d="{part * (length // len(part))}"/></svg>')

    assert_linear(read, 60_000, 2.0)


def test_references_within_the_image_stay():
    code = f'{ROOT}<use href="#a"/><linearGradient href="#b"/></svg>'
    assert without_rasters(code) == code
