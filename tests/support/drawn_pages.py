"""Pages of web sites as if they were drawn: rectangles of elements on a blank image."""

from __future__ import annotations

import io
from typing import Any

from PIL import Image

from i2s_sdk.data.web_items.elements import HEIGHT, WIDTH, DrawnPage
from i2s_wire.render.site import Element

ORIGIN = "http://localhost:4000"


def element(text: str, x: float, y: float, **more: Any) -> Element:
    """A paragraph that is seen as a whole, 120 x 20 pixels."""
    facts = {"tag": "p", "role": "paragraph", "clickable": False, "width": 120, "height": 20}
    return Element(text=text, x=x, y=y, **{**facts, "visible": True, "rectangles": 1, **more})


def link(text: str, x: float, y: float, to: str, **more: Any) -> Element:
    return element(text, x, y, tag="a", role="link", clickable=True, href=f"{ORIGIN}/{to}", **more)


def meta(description: str) -> Element:
    return Element("meta", description, "", False, 0, 0, 0, 0)


def drawn(*elements: Element, path: str = "index.html", site: str = "shop") -> DrawnPage:
    """A page with a white image, which shows the texts of all visible elements."""
    content = io.BytesIO()
    Image.new("RGB", (WIDTH, HEIGHT), "white").save(content, "PNG")
    text = "\n".join(one.text for one in elements if one.visible and one.tag not in ("meta", "input"))
    return DrawnPage(site, path, ORIGIN, content.getvalue(), text, elements)
