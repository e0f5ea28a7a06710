"""An image is edited where its parser says that references and families stand, and nowhere else."""

from __future__ import annotations

import pytest

from i2s_render_svg.inside.references import References


@pytest.fixture
def edited(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / ".i2s").mkdir()
    for name in ("with.png", "a/with.png", ".i2s/job.json"):
        (tmp_path / name).touch()
    return lambda svg: References(svg, tmp_path / "a").edited()


@pytest.mark.parametrize(
    "svg",
    [
        "<svg><text>font-family: Arial, 'Courier' href=\"/etc/passwd\"</text></svg>",
        "<svg><style>.a{fill:red}</style><text>font-family: Arial</text></svg>",
        "<svg><style/><text>font-family: Arial</text></svg>",
        "<svg><desc a='font-family: Arial' b='1 &lt; 2'>&#60;image href='/x'></desc></svg>",
        '<svg><style>/* font-family: Arial; */ .a::before{content:"font: 9px Arial"}</style></svg>',
        "<svg><image href='with.png'/><image xlink:href='../with.png'/><image href='data:,x'/></svg>",
        "<svg style='font-family: Other; --font: Arial' font-family='Other, serif'/>",
        "<svg style='font: caption'/>",
    ],
)
def test_what_needs_no_edit_stays_as_it_is(edited, svg):
    assert edited(svg) == svg


@pytest.mark.parametrize(
    ("svg", "wanted"),
    [
        ("<svg><image href='/x' x:href=\"b.png\"/>x</svg>", "<svg><image href='' x:href=\"\"/>x</svg>"),
        ("<svg><image href='../../with.png'/></svg>", "<svg><image href=''/></svg>"),
        ("<svg><image href='../.i2s/job.json'/></svg>", "<svg><image href=''/></svg>"),
        (f"<svg><image href='{'A' * 300}'/></svg>", "<svg><image href=''/></svg>"),
        ("<svg><image href='a&#0;'/></svg>", "<svg><image href=''/></svg>"),
        ("<svg font-family='Arial'/>", "<svg font-family='Arial,&apos;Liberation Sans&apos;'/>"),
        (
            "<svg><g\n font-family='&quot;Arial&quot;,\n x' b='ä'/><image href='/x'/></svg>",
            "<svg><g\n font-family='&quot;Arial&quot;,&apos;Liberation Sans&apos;,  x\n' b='ä'/>"
            "<image href=''/></svg>",
        ),
        (
            "<svg><style>a &gt; b{FONT-FAMILY:Times !important}</style>y</svg>",
            "<svg><style>a &gt; b{font-family:Times,'Liberation Serif' !important}</style>y</svg>",
        ),
        (
            "<svg><style><![CDATA[a>b{font:bold 9px/1.2 'Courier New'}]]></style></svg>",
            "<svg><style>a&gt;b{font:bold 9px 'Courier New','Liberation Mono'}</style></svg>",
        ),
        ("<svg><style>a<g href='/x'/>{font-family:Arial}</style></svg>",
         "<svg><style>a<g href=''/>{font-family:Arial}</style></svg>"),
        ("<svg><image href='/x'/><g a=b><image href='/y'/>", "<svg><image href=''/><g a=b><image href=''/>"),
        ("<svg><image href='/x' a=b/>", "<svg><image href='' a=b/>"),
        (
            "<!DOCTYPE svg [<!ENTITY e \"<image href='/x'/>\">]><svg>&e;<image href='/y'/></svg>",
            "<!DOCTYPE svg [<!ENTITY e \"<image href=''/>\">]><svg>&e;<image href=''/></svg>",
        ),
        (
            '<!DOCTYPE svg [<!ENTITY e "/etc/passwd">]><svg><image href="&e;"/>&e;</svg>',
            '<!DOCTYPE svg [<!ENTITY e "/etc/passwd">]><svg><image href=""/>&e;</svg>',
        ),
    ],
)  # fmt: skip
def test_references_and_families_are_edited_in_their_places(edited, svg, wanted):
    assert edited(svg) == wanted
