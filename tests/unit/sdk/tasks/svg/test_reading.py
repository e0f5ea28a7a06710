"""What of an answer is SVG, and what of it is drawn."""

from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from i2s_sdk.tasks.structure import NoStructure
from i2s_sdk.tasks.svg.rasters import without_rasters
from i2s_sdk.tasks.svg.reading import DECLARES, ONLY_RASTER, extract
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
        f"```html\n<!DOCTYPE html><html><body>{ROOT}{RECT}</svg></body></html>\n```",
        f"```\n<?xml version='1.0'?>\n<html><body>\n{ROOT}{RECT}</svg>\n</body></html>\n```",
        f"<!DOCTYPE html>\n<html>{ROOT}{RECT}</svg></html>",
        f"</svg> A draft: {ROOT}</svg> The image: {ROOT}{RECT}</svg> and {ROOT}",
    ],
)
def test_the_image_is_taken_out_of_an_answer(answer):
    assert extract(answer).code == f"{ROOT}{RECT}</svg>"


@pytest.mark.parametrize(
    "head",
    [
        "",
        '<?xml version="1.0"?>\n',
        '<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">\n',
    ],
)
def test_what_belongs_to_the_document_of_an_image_stays(head):
    image = f"{head}{ROOT}{RECT}<svg>{RECT}</svg><svg/>{RECT}</svg>"
    assert extract(image).code == image
    assert extract(f"Here it is: {image} Done.").code == image
    assert extract(f"```svg\n<!-- of shapes -->\n{image}\n```").code == f"<!-- of shapes -->\n{image}"


def test_an_image_that_was_cut_off_is_taken_as_far_as_it_goes():
    assert extract(f"It is: {ROOT}<svg>{RECT}</svg><g>").code == f"{ROOT}<svg>{RECT}</svg>"
    assert extract(f"It is: {ROOT}{RECT}<g>").code == f"{ROOT}{RECT}<g>"


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
        f'<desc title=\'href="\'/><image href="{DATA}"/>',
        f"<desc title=\"href='\"/><image href='{DATA}'/>",
        f"<!-- href=' --><image href='{DATA}'/>",
        f'<desc><![CDATA[href="]]></desc><image href="{DATA}"/>',
        f"<image xlink:href='{DATA}'/></broken>",
        f'<desc title=\'href="\'/><image href="{DATA}"/></broken>',
        '<image href="d&#97;ta:image/png;base64,AAAA"/><broken>',
        '<image href="d&#10;ata:image/png;base64,AAAA"/>',
        f'<filter id="f"><feImage href="{DATA}"/></filter>',
        f'<foreignObjects><img src="{DATA}"/></foreignObjects>',
        f'<set attributeName="href" to="{DATA}"/>',
        f'<g fill="url({DATA})"/>',
        f"<g style=\"background: url('{DATA}')\"/>",
        f"<style>g {{ background: url('{DATA}') }}</style>",
        f'<style><![CDATA[@import "{DATA}";]]></style>',
        "<style>g { background: url(d\\61 ta:image/png;base64,AAAA) }</style>",
        f"<?xml-stylesheet href='{DATA}'?>",
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


def test_of_a_style_only_the_address_of_data_is_left_out():
    style = "text { fill: red; font: url('%s') } a > b { fill: blue }"
    code = f'{ROOT}<style>{style % DATA}</style><text style="fill: url({DATA}); x: y">data: 5</text></svg>'
    kept = (style % "").replace(">", "&gt;")
    expected = f'{ROOT}<style>{kept}</style><text style="fill: url(); x: y">data: 5</text></svg>'
    assert without_rasters(code) == expected


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
    "part",
    [
        "12345 ",
        "1",
        "a.",
        "a:",
        "href",
        "href=",
        "href='",
        'href="',
        "href ",
        "&a",
        "&#97;",
        "data:",
        "<a>",
        "<svg>",
        "</svg>",
    ],
)
def test_rasters_are_looked_for_in_linear_time(part):
    def read(length):
        parts = part * (length // len(part))
        extract(f'{ROOT}<path d="{parts}"/></svg>')
        extract(f"{ROOT}<style>{parts}</style>{parts}</svg>")

    assert_linear(read, 60_000, 2.0)


def test_references_within_the_image_stay():
    for inner in (
        '<use href="#a"/><linearGradient href="#b"/>',
        '<g id="data:1" class="data:b"/><use href="#data:1"/>',
    ):
        for code in (f"{ROOT}{inner}</svg>", f"{ROOT}<!-- data: é -->{inner}<style>a {{}}</style></svg>"):
            assert without_rasters(code) == code


PIECES = [
    "href=",
    "'",
    '"',
    "<",
    ">",
    "/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    " a=",
    " ",
    "<?a ",
    "?>",
    "<a",
    "&lt;",
]


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join), st.sampled_from(["'", '"']), st.booleans())
@example(text="href='", quote='"', is_element=True)
def test_no_text_before_a_raster_hides_it(text, quote, is_element):
    before = f"<desc title={quote}{text}{quote}/>" if is_element else text
    root = f'{ROOT[:-1]} xmlns:xlink="http://www.w3.org/1999/xlink">'
    drawn = without_rasters(f"{root}{before}<image href=\"{DATA}\"/><image xlink:href='{DATA}'/></svg>")
    try:
        images = [node for node in ElementTree.fromstring(drawn).iter() if node.tag.endswith("image")]
    except ElementTree.ParseError:
        return  # nothing is drawn
    assert not any("AAAA" in value for node in images for value in node.attrib.values())
