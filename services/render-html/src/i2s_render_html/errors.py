"""What can go wrong that is no verdict on a page, beside the errors of every renderer.

RendererError             see `i2s_chassis.errors`
├── BrowserError          a browser could not be started, or was lost without a job's doing
└── SelectorError         the CSS selector of a request cannot be read
"""

from __future__ import annotations

from i2s_chassis.errors import RendererError


class BrowserError(RendererError):
    """A browser could not be started, or was lost without a job's doing."""


class SelectorError(RendererError):
    """The CSS selector of a request cannot be read."""
