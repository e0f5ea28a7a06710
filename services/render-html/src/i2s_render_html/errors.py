"""What can go wrong that is no verdict on a page.

HtmlError                 a fault of ours or of the installation, or of a request's options
├── BrowserError          a browser could not be started, or was lost without a job's doing
├── EngineError           the engine is not fit to serve; says why
└── SelectorError         the CSS selector of a request cannot be read
"""

from __future__ import annotations


class HtmlError(Exception):
    """A fault of ours or of the installation, or of a request's options."""


class BrowserError(HtmlError):
    """A browser could not be started, or was lost without a job's doing."""


class EngineError(HtmlError):
    """The engine is not fit to serve; the message says why."""


class SelectorError(HtmlError):
    """The CSS selector of a request cannot be read."""
