"""An image is edited where its parser says that references and families stand, and nowhere else."""

from __future__ import annotations

from xml.etree.ElementTree import canonicalize

import pytest

from i2s_render_svg.inside.references import References


@pytest.fixture
def read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / ".i2s").mkdir()
    for name in ("with.png", "a/with.png", ".i2s/job.json"):
        (tmp_path / name).touch()
    return lambda svg: References(svg, tmp_path / "a")


@pytest.fixture
def edited(read):
    def edited(svg):
        image = read(svg)
        assert not image.fault
        return canonicalize(image.edited)

    return edited


@pytest.mark.parametrize(
    "svg",
    [
        "<svg><text>font-family: Arial, 'Courier' href=\"/etc/passwd\"</text></svg>",
        "<svg><style>.a{fill:red}</style><text>font-family: Arial</text></svg>",
        "<svg><style/><text>font-family: Arial</text></svg>",
        "<svg><desc a='font-family: Arial' b='1 &lt; 2'>&#60;image href='/x'></desc></svg>",
        '<svg><style>/* font-family: Arial; */ .a::before{content:"font: 9px Arial"}</style></svg>',
        "<svg xmlns:x='y'><image href='with.png'/><image x:href='../with.png'/><image href='data:,x'/></svg>",
        "<svg style='font-family: Other; --font: Arial' font-family='Other, serif'/>",
        "<svg style='font: caption'/>",
        "<svg a='&#10;&quot;&#9;' b=\"'\">&amp;lt; ]]&gt; &#x1F600;<![CDATA[<g>&amp;]]></svg>",
    ],
)
def test_what_needs_no_edit_stays_as_it_is(edited, svg):
    assert edited(svg) == canonicalize(svg)


@pytest.mark.parametrize(
    ("svg", "wanted"),
    [
        (
            "<svg xmlns:x='y'><image href='/x' x:href=\"b.png\"/>x</svg>",
            "<svg xmlns:x='y'><image href='' x:href=\"\"/>x</svg>",
        ),
        ("<svg><image href='../../with.png'/></svg>", "<svg><image href=''/></svg>"),
        ("<svg><image href='../.i2s/job.json'/></svg>", "<svg><image href=''/></svg>"),
        (f"<svg><image href='{'A' * 300}'/></svg>", "<svg><image href=''/></svg>"),
        ("<svg font-family='Arial'/>", "<svg font-family=\"Arial,'Liberation Sans'\"/>"),
        ("<svg font-family='Arial,'/>", "<svg font-family=\"Arial,'Liberation Sans'\"/>"),
        (
            "<svg><g\n font-family='&quot;Arial&quot;,\n x' b='ä'/><image href='/x'/></svg>",
            "<svg><g font-family='&quot;Arial&quot;,&apos;Liberation Sans&apos;,  x' b='ä'/>"
            "<image href=''/></svg>",
        ),
        (
            "<svg><style>a &gt; b{FONT-FAMILY:Times !important}</style>y</svg>",
            "<svg><style>a &gt; b{font-family:Times ,'Liberation Serif'!important}</style>y</svg>",
        ),
        (
            "<svg><style><![CDATA[a>b{font:bold 9px/1.2 'Courier New'}]]></style></svg>",
            "<svg><style>a&gt;b{font:bold 9px 'Courier New','Liberation Mono'}</style></svg>",
        ),
        ("<svg><style>a<g href='/x'/>{font-family:Arial}</style></svg>",
         "<svg><style>a<g href=''/>{font-family:Arial}</style></svg>"),
        ("<svg>a<!--b-->c<?d e?>f</svg>", "<svg>acf</svg>"),
        (
            "<!DOCTYPE svg [<!ENTITY e \"<image href='/x'/>\">]><svg>&e;<image href='/y'/></svg>",
            "<svg><image href=''/><image href=''/></svg>",
        ),
        (
            '<!DOCTYPE svg [<!ENTITY e "/etc/passwd">]><svg><image href="&e;"/>&e;</svg>',
            '<svg><image href=""/>/etc/passwd</svg>',
        ),
    ],
)  # fmt: skip
def test_references_and_families_are_edited_in_their_places(edited, svg, wanted):
    assert edited(svg) == canonicalize(wanted)


@pytest.mark.parametrize(
    ("svg", "line"),
    [
        ("<svg><image href='/x'/>\n<g a=b><image href='/y'/>", 2),
        ("<svg><image href='/x' a=b/>", 1),
        ("<svg><image href='a&#0;'/></svg>", 1),
        ("<svg/>\n\nx", 3),
        ('<!DOCTYPE svg [<!ENTITY e SYSTEM "/x">]>\n<svg>&e;</svg>', 2),
    ],
)
def test_the_fault_of_an_image_that_is_not_well_formed_has_its_line(read, svg, line):
    assert f" at {line}:" in read(svg).fault


def test_an_entity_of_another_document_is_not_left_out(edited):
    svg = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd"><svg>&nbsp;</svg>'
    with pytest.raises(SyntaxError, match="undefined entity"):
        edited(svg)


def test_what_stands_before_an_xml_declaration_is_no_fault(read):
    assert not read('\n<?xml version="1.0"?><svg/>').fault
