"""Pictures of many kinds, drawn by chance: (rng, height, width, colour) to (height, width, 3), uint8."""

import numpy as np


def noise(rng, height, width, colour):
    return rng.integers(0, 256, (height, width, 3), dtype=np.uint8)


def text(rng, height, width, colour):
    picture = np.full((height, width, 3), colour, np.uint8)
    ink = rng.random((height, width)) < rng.choice([0.02, 0.2, 0.45])
    picture[ink] = rng.integers(0, 256, 3, dtype=np.uint8)
    return picture


def plain(rng, height, width, colour):
    return np.full((height, width, 3), colour, np.uint8)


def nearly_plain(rng, height, width, colour):
    away = rng.integers(-1, 2, (height, width, 3))
    return np.clip(np.array(colour) + away, 0, 255).astype(np.uint8)


def gradient(rng, height, width, colour):
    ramp = np.add.outer(np.linspace(0, 155, height), np.linspace(0, 100, width))
    return np.repeat(ramp.astype(np.uint8)[..., None], 3, axis=2)


def checkers(rng, height, width, colour):
    odd = np.add.outer(np.arange(height), np.arange(width)) % 2 == 1
    picture = np.full((height, width, 3), colour, np.uint8)
    picture[odd] = 255 - np.array(colour)
    return picture


def tiles(rng, height, width, colour):
    """Few different patches in many places: equal patches, ties, competing matches."""
    kinds = np.stack([plain(rng, 8, 8, colour), text(rng, 8, 8, colour), checkers(rng, 8, 8, colour)])
    chosen = kinds[rng.integers(0, 3, (height // 8 + 1, width // 8 + 1))]
    whole = chosen.swapaxes(1, 2).reshape((height // 8 + 1) * 8, (width // 8 + 1) * 8, 3)
    return np.ascontiguousarray(whole[:height, :width])


def half_level_away(rng, height, width, colour):
    """Greys at and around half a level from the background, where the profiles part."""
    deltas = np.stack(np.meshgrid(*[np.arange(-4, 5)] * 3), -1).reshape(-1, 3)
    near = deltas[np.abs(np.abs(deltas @ np.array([299, 587, 114])) - 500) <= 30]
    away = near[rng.integers(0, len(near), (height, width))] * (rng.random((height, width, 1)) < 0.5)
    return np.clip(np.array(colour) + away, 0, 255).astype(np.uint8)


def few_greys(rng, height, width, colour):
    """Many ties between costs."""
    levels = np.array([0, 85, 170, 255], np.uint8)[rng.integers(0, 4, (height, width))]
    return np.repeat(levels[..., None], 3, axis=2)
