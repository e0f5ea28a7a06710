"""The page of the gateway for people: what serves, what can be asked, and how."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from importlib.resources import files

from i2s_gateway.operations import OPERATIONS, PREFIX

_FILE = re.compile(r'"base64:([^"]+)"')


def page(base: str, health: Mapping[str, str]) -> str:
    """Return the page as HTML.

    Args:
        base: URL of the gateway as the caller wrote it, without "/" at its end.
        health: Health of each service.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("i2s_gateway", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(
        base=base,
        prefix=PREFIX,
        health=health,
        operations=[
            (one, curl(base + one.path, one.example, makes_picture=one.makes_pictures)) for one in OPERATIONS
        ],
    )


def style() -> str:
    """Return the style of the page."""
    return files("i2s_gateway").joinpath("templates", "page.css").read_text("utf-8")


def curl(url: str, body: object, *, makes_picture: bool = False) -> str:
    """Return the command that sends a body to the gateway.

    Args:
        url: Where to.
        body: Value that is sent as JSON; "base64:FILE" stands for the content of a file.
        makes_picture: Whether the picture of the answer goes into a file, and not the answer to the terminal.
    """
    lines = [f"curl {shlex.quote(url)}", "-H 'Content-Type: application/json'"]
    if makes_picture:
        lines += ["-H 'Accept: image/png' -o picture.png"]
    text = json.dumps(body)
    names = _FILE.findall(text)
    if not names:
        return " \\\n  ".join([*lines, f"-d {shlex.quote(text)}"])
    pattern = _FILE.sub('"%s"', text.replace("\\", "\\\\").replace("%", "%%"))
    files = [f'"$(base64 -w0 {name})"' for name in names]
    printing = f"printf {shlex.quote(pattern)} {' '.join(files)}"
    return " \\\n  ".join([printing, f"| {lines[0]}", *lines[1:], "-d @-"])
