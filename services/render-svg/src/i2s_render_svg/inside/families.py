"""Well-known families of fonts, and the fonts that stand for them."""

from __future__ import annotations

import re

SERIF, SANS, MONO = "Liberation Serif", "Liberation Sans", "Liberation Mono"
#: Families that are as wide as these, or are what people mean by them.
_FAMILIES = {
    SANS: "arial|helvetica|helvetica neue|verdana|tahoma|segoe ui|roboto|inter|system-ui|liberation sans",
    SERIF: "times new roman|times|georgia|cambria|palatino|liberation serif",
    MONO: "courier new|courier|consolas|menlo|monaco|liberation mono",
}
_ALIASES = {name: ours for ours, names in _FAMILIES.items() for name in names.split("|")}
_ITEM = re.compile(r"""(?:"[^"]*"|'[^']*'|[^,])+""")
_NAME = re.compile(r"(?is)(.*?)(\s*!\s*important)?\s*")
_COMMENT = re.compile(r"(?s)/\*.*?\*/")
#: Comments and texts of CSS, in which there are no declarations; and the declarations that name families.
_DECLARATION = re.compile(
    r"""(?isx) /\*.*?(?:\*/|\Z) | "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*'
    | (?<![\w-]) (font(?:-family)?) (\s*:) ((?:"[^"]*"|'[^']*'|[^;{}"'])+)"""
)
#: What stands before the families in a declaration of all of a font: it ends with the size, and the height
#: of lines, with which resvg would not take the families.
_BEFORE_FAMILIES = re.compile(
    r"""(?isx) ((?:.*?\s|) (?:[\d.]+(?:[a-z]+|%)|(?:xx?-|)(?:small|large)|medium|smaller|larger|xxx-large))
    (?:\s*/\s*[\w.%]+)? \s+"""
)


def with_ours(families: str) -> str:
    """Return a list of families, each well-known one with the font behind it that stands for it."""
    return ",".join(map(_with_ours, _ITEM.findall(families)))


def css_with_ours(css: str) -> str:
    """Return declarations or rules of CSS in which each list of families is as of ``with_ours``."""
    return _DECLARATION.sub(_declared, css)


def _with_ours(name: str) -> str:
    match = _NAME.fullmatch(name)
    assert match is not None  # it matches all that there is
    plain = " ".join(_COMMENT.sub(" ", match[1]).strip().strip("\"'").split()).lower()
    ours = _ALIASES.get(plain)
    return name if ours is None else f"{match[1]},'{ours}'{match[2] or ''}"


def _declared(match: re.Match[str]) -> str:
    if match[1] is None:
        return match[0]
    key, value, before = match[1].lower(), match[3], ""
    if key == "font":
        size = _BEFORE_FAMILIES.match(value)
        if size is None:
            return match[0]
        before, value = f"{size[1]} ", value[size.end() :]
    return f"{key}{match[2]}{before}{with_ours(value)}"
