"""The subcommand ``token``: a new token, and what to add to the access file for it."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from i2s_chassis.access import is_caller_name, new_token, token_line
from i2s_chassis.configure import Settings
from i2s_chassis.entry import Command
from i2s_chassis.errors import SettingsError


class TokenSettings(Settings):
    """Options of ``token``."""

    service: ClassVar[str] = "token"

    name: str = Field("", description="Name of the caller that the token is for, in logs and quotas.")


def token_command() -> Command[TokenSettings]:
    """Return the subcommand."""
    return Command(
        "token",
        "Make a token for a caller, and print it once beside its entry of the access file.",
        TokenSettings,
        _print_token,
        ("token --name lab",),
    )


def _print_token(settings: TokenSettings) -> int:
    if not is_caller_name(settings.name):
        raise SettingsError("--name: give a name of up to 64 letters, digits and . _ @ -")
    token = new_token()
    print("# The token. Give it to the caller; it is stored nowhere and cannot be shown again.")
    print(token)
    print("# For the file of --access-file:")
    print(f'[callers."{settings.name}"]')
    print(f'tokens = ["{token_line(token)}"]')
    return 0
