"""How different two colours look: the colour difference CIEDE2000.

Source: G. Sharma, W. Wu, E. N. Dalal, "The CIEDE2000 Color-Difference Formula", Color Research and
Application 30 (2005).
"""

from __future__ import annotations

import math

Lab = tuple[float, float, float]
_WHITE = (0.95047, 1.0, 1.08883)  # D65


def on_white(color: str) -> tuple[float, float, float]:
    """Return red, green and blue from 0 to 1 of a colour "#rrggbbaa" that lies on white.

    Raises:
        ValueError: It is not such a colour.
    """
    if len(color) != 9 or color[0] != "#":
        raise ValueError(f"no colour: {color!r}")
    red, green, blue, alpha = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5, 7))
    return (1 - alpha + alpha * red, 1 - alpha + alpha * green, 1 - alpha + alpha * blue)


def lab(red: float, green: float, blue: float) -> Lab:
    """Return a colour of sRGB, its parts from 0 to 1, in CIELAB under D65."""
    r, g, b = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)
    )
    x = 0.4124564 * r + 0.3575761 * g + 0.1804375 * b
    y = 0.2126729 * r + 0.7151522 * g + 0.0721750 * b
    z = 0.0193339 * r + 0.1191920 * g + 0.9503041 * b
    fx, fy, fz = (_root(value / white) for value, white in zip((x, y, z), _WHITE, strict=True))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def _root(value: float) -> float:
    return math.cbrt(value) if value > (6 / 29) ** 3 else value / (3 * (6 / 29) ** 2) + 4 / 29


def difference(first: Lab, second: Lab) -> float:
    """Return the difference of two colours of CIELAB; about 1 can just be seen, 100 is black from white."""
    (light1, a1, b1), (light2, a2, b2) = first, second
    mean_chroma = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    gray = 0.5 * (1 - math.sqrt(mean_chroma**7 / (mean_chroma**7 + 25**7)))
    a1, a2 = (1 + gray) * a1, (1 + gray) * a2
    chroma1, chroma2 = math.hypot(a1, b1), math.hypot(a2, b2)
    hue1, hue2 = _hue(a1, b1), _hue(a2, b2)
    turn = _turn(hue1, hue2, chroma1 * chroma2)
    light, chroma = light2 - light1, chroma2 - chroma1
    hue = 2 * math.sqrt(chroma1 * chroma2) * math.sin(math.radians(turn) / 2)
    mean_light, mean_chroma = (light1 + light2) / 2, (chroma1 + chroma2) / 2
    mean_hue = _mean_hue(hue1, hue2, chroma1 * chroma2)
    weight = (
        1
        - 0.17 * math.cos(math.radians(mean_hue - 30))
        + 0.24 * math.cos(math.radians(2 * mean_hue))
        + 0.32 * math.cos(math.radians(3 * mean_hue + 6))
        - 0.20 * math.cos(math.radians(4 * mean_hue - 63))
    )
    offset = (mean_light - 50) ** 2
    of_light = light / (1 + 0.015 * offset / math.sqrt(20 + offset))
    of_chroma = chroma / (1 + 0.045 * mean_chroma)
    of_hue = hue / (1 + 0.015 * mean_chroma * weight)
    rotation = -2 * math.sqrt(mean_chroma**7 / (mean_chroma**7 + 25**7))
    rotation *= math.sin(math.radians(60 * math.exp(-(((mean_hue - 275) / 25) ** 2))))
    squared = of_light**2 + of_chroma**2 + of_hue**2 + rotation * of_chroma * of_hue
    return math.sqrt(max(0.0, squared))


def _hue(a: float, b: float) -> float:
    return math.degrees(math.atan2(b, a)) % 360 if a or b else 0.0


def _turn(hue1: float, hue2: float, product: float) -> float:
    if product == 0:
        return 0.0
    turn = hue2 - hue1
    return turn - 360 if turn > 180 else turn + 360 if turn < -180 else turn


def _mean_hue(hue1: float, hue2: float, product: float) -> float:
    if product == 0:
        return hue1 + hue2
    if abs(hue1 - hue2) <= 180:
        return (hue1 + hue2) / 2
    return (hue1 + hue2 + (360 if hue1 + hue2 < 360 else -360)) / 2
