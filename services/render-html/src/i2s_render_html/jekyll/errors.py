"""What can go wrong with Jekyll itself.

JekyllError               a fault of ours or of the installation, never of a site
├── JekyllMissingError    Ruby or Jekyll is not installed, or does not start in the jail
└── JekyllKilledError     a signal ended it while it loaded
"""

from __future__ import annotations


class JekyllError(Exception):
    """A fault of ours or of the installation, never of a site."""


class JekyllMissingError(JekyllError):
    """Ruby or Jekyll is not installed, or does not start in the jail; the message says what it said."""


class JekyllKilledError(JekyllError):
    """A signal ended Jekyll while it loaded, as if an operator or a kernel without memory had killed it."""
