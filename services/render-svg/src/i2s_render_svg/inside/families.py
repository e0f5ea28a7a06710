"""Well-known families of fonts, and the fonts that stand for them."""

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
_COMMENT = re.compile(r"(?s)/\*.*?\*/")
#: Comments and texts of CSS, in which there are no declarations; and the declarations that name families:
#: name, what stands before the families in one of all of a font, which ends with the size, and the families.
#: The height of lines after the size is left out: with it resvg would not take the families.
_DECLARATION = re.compile(
    r"""(?isx) /\*.*?(?:\*/|\Z) | "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*'
    | (?<![\w-]) (font(?:-family)?\s*:) ((?:[^;{}"'/]*?\s|)
      (?:[\d.]+(?:[a-z]+|%)|(?:xx?-|)(?:small|large)|medium|smaller|larger|xxx-large) (?=[\s/])|)
      (?:\s*/\s*[\w.%]+(?=\s))? ((?:"[^"]*"|'[^']*'|[^;{}"'])+)"""
)


def with_ours(families: str) -> str:
    """Return a list of families, each well-known one with the font behind it that stands for it."""
    return ",".join(map(_with_ours, _ITEM.findall(families)))


def css_with_ours(css: str) -> str:
    """Return declarations or rules of CSS in which each list of families is as of ``with_ours``."""
    return _DECLARATION.sub(
        lambda match: f"{match[1].lower()}{match[2]}{with_ours(match[3])}" if match[1] else match[0], css
    )


def _with_ours(item: str) -> str:
    name, *mark = item.partition("!")  # of !important
    plain = " ".join(_COMMENT.sub(" ", name).strip(" \t\r\n\f\"'").split()).lower()
    return f"{name},'{_ALIASES[plain]}'{''.join(mark)}" if plain in _ALIASES else item
