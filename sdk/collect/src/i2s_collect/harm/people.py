"""Data of people in pages: addresses, telephone numbers and portraits."""

from __future__ import annotations

import re
from collections.abc import Iterable

EMAIL, TELEPHONE, PORTRAITS = "email_address", "telephone_number", "portraits"

#: Files that are named like portraits, at most, before they become a flag.
MOST_PORTRAITS = 2

#: Digits of a telephone number: ITU-T E.164 has at most 15; shorter ones than 8 are of one town.
FEWEST_DIGITS, MOST_DIGITS = 8, 15

_EMAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}(?:@|\s?\[at\]\s?|\s?\(at\)\s?)(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])"
)
_TELEPHONE = re.compile(r"(?<![\w.,/+-])(?:\+|00)?\(?\d[\d \u00a0().\u2011/-]{6,24}\d(?![\w%/]|[.,:-]\d)")
_GROUPS = re.compile(r"\d+")
_CALLED = re.compile(
    r"(?:tel|telephone|phone|fax|mobile|mob|call|whatsapp|telefon)\.?\s*[:.]?\s*$", re.IGNORECASE
)
_DATE = re.compile(r"(?:19|20)\d\d[-./ ]\d{1,2}[-./ ]\d{1,2}|\d{1,2}[-./ ]\d{1,2}[-./ ](?:19|20)\d\d")
_YEARS = re.compile(r"(?:(?:19|20)\d\d[ \u00a0/-]+)+(?:19|20)\d\d")
_PORTRAIT = re.compile(
    r"(?:^|[^a-z])(?:portrait|headshot|head-shot|selfie|mugshot|avatar|"
    r"profile[-_ ]?(?:pic|photo|picture|image)?|"
    r"my[-_ ]?(?:photo|picture|face)|about[-_ ]?me|me|face|team|staff)(?:[^a-z]|$)"
)
_PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".avif", ".heic")


def people_flags(text: str, files: Iterable[str] = ()) -> tuple[str, ...]:
    """Return which data of people a page seems to have: EMAIL, TELEPHONE and PORTRAITS, in this order.

    Nothing of what was found is returned, so that it is stored nowhere.

    Args:
        text: What readers see.
        files: Names of the files of the page, with or without folders.
    """
    found = []
    if _EMAIL.search(text):
        found.append(EMAIL)
    if any(_is_telephone(text, match) for match in _TELEPHONE.finditer(text)):
        found.append(TELEPHONE)
    if sum(map(_is_portrait, files)) > MOST_PORTRAITS:
        found.append(PORTRAITS)
    return tuple(found)


def _is_telephone(text: str, match: re.Match[str]) -> bool:
    """Return whether digits are a telephone number: with a sign of one before them, or grouped like one."""
    number = match.group()
    digits = sum(len(group) for group in _GROUPS.findall(number))
    if not FEWEST_DIGITS <= digits <= MOST_DIGITS or _DATE.fullmatch(number) or _YEARS.fullmatch(number):
        return False
    if number.startswith("+") or _CALLED.search(text[max(0, match.start() - 20) : match.start()]):
        return True
    groups = _GROUPS.findall(number)
    american = [len(group) for group in groups] == [3, 3, 4]
    return american or (number.lstrip("(").startswith("0") and 2 <= len(groups) <= 6 and "." not in number)


def _is_portrait(file: str) -> bool:
    name = file.rsplit("/", 1)[-1].lower()
    return name.endswith(_PICTURES) and _PORTRAIT.search(name.rsplit(".", 1)[0]) is not None
