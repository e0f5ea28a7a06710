"""Sizes of texts: kept from when a figure is drawn, and measured anew within bounds.

Measuring mathematics costs as much as drawing it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager

from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties

#: The most sizes that are kept of one figure.
MAX_KEPT = 20_000
#: The most different lines with mathematics of one figure that are measured beside those that are kept. One
#: takes some milliseconds.
MAX_MATHEMATICS = 500

#: A line of text, its font, whether it is mathematics, and the resolution.
Measured = tuple[str, FontProperties, object, float]
#: Width, height and descent in pixels.
Size = tuple[float, float, float]
Sizes = Mapping[Measured, Size]


class MeasuringRenderer(RendererAgg):  # type: ignore[misc]  # of Any
    """Tells the sizes of texts, within bounds.

    Args:
        dpi: Resolution.
        known: Sizes of texts that were drawn.

    Attributes:
        exceeded: Whether a text was not measured because there were too many.
    """

    def __init__(self, dpi: float, known: Sizes) -> None:
        super().__init__(1, 1, dpi)
        self._known = known
        self._measured = 0
        self.exceeded = False

    def get_text_width_height_descent(self, s: str, prop: FontProperties, ismath: object) -> Size:
        """Return width, height and descent of a line of text in pixels.

        Raises:
            ValueError: Too many lines with mathematics were measured already.
        """
        found = self._known.get((s, prop, ismath, self.dpi))
        if found is not None:
            return found
        if ismath:
            self._measured += 1
            if self._measured > MAX_MATHEMATICS:
                self.exceeded = True
                raise ValueError("too many texts with mathematics")
        size: Size = super().get_text_width_height_descent(s, prop, ismath)
        return size


@contextmanager
def kept_sizes(sizes: MutableMapping[Measured, Size]) -> Iterator[None]:
    """Keep the sizes of texts that are drawn in the block.

    Args:
        sizes: Where they are kept, at most MAX_KEPT.
    """
    measure = RendererAgg.get_text_width_height_descent

    def measured(renderer: RendererAgg, s: str, prop: FontProperties, ismath: object) -> Size:
        size: Size = measure(renderer, s, prop, ismath)
        if len(sizes) < MAX_KEPT:
            # Fonts are compared by their properties, which the program may change.
            sizes[s, prop.copy(), ismath, renderer.dpi] = size
        return size

    RendererAgg.get_text_width_height_descent = measured
    try:
        yield
    finally:
        RendererAgg.get_text_width_height_descent = measure
