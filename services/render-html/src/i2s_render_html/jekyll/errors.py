"""What can go wrong with Jekyll itself.

JekyllError               a fault of ours or of the installation, never of a site
└── JekyllMissingError    Ruby or Jekyll is not installed, or does not start in the jail
"""

from __future__ import annotations


class JekyllError(Exception):
    """A fault of ours or of the installation, never of a site."""


class JekyllMissingError(JekyllError):
    """Ruby or Jekyll is not installed, or does not start in the jail; the message says what it said."""
