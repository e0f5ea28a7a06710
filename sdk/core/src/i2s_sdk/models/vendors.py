"""The vendors whose servers are asked: address, key, and the package that speaks to them."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from i2s_sdk.errors import UsageError
from i2s_sdk.models.options import ModelOptions
from i2s_wire.installation import install_command

#: Sent where a server of one's own wants no key; its protocol wants some.
NO_KEY = "none"


@dataclass(frozen=True, slots=True)
class Vendor:
    """A vendor.

    Attributes:
        base_url: Address of its own server.
        keys: Environment variables that hold the key; the first that is set counts.
        package: Its SDK, as it is imported.
        extra: The extra of i2s-sdk that installs the package.
    """

    base_url: str
    keys: tuple[str, ...]
    package: str
    extra: str


VENDORS: Mapping[str, Vendor] = {
    "openai": Vendor("https://api.openai.com/v1", ("OPENAI_API_KEY",), "openai", "openai"),
    "anthropic": Vendor("https://api.anthropic.com", ("ANTHROPIC_API_KEY",), "anthropic", "anthropic"),
    "google": Vendor(
        "https://generativelanguage.googleapis.com",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "google.genai",
        "google",
    ),
}


def require_package(package: str, extra: str, model: str) -> None:
    """Return where a package is installed; it is not imported.

    Raises:
        UsageError: It is not; says the command that installs it.
    """
    try:
        found = importlib.util.find_spec(package)
    except ModuleNotFoundError:  # of google.genai, where there is no google
        found = None
    if found is None:
        command = install_command(f"i2s-sdk[{extra}]")
        raise UsageError(f"model {model!r} needs the package {package}: {command}")


def address_and_key(
    vendor: Vendor, model: str, options: ModelOptions, environ: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """Return where a model is asked and with which key.

    The key of a vendor is for the vendor: a server of another address gets it only if ``key_env`` says so.

    Args:
        vendor: Whose protocol is spoken.
        model: Model as the user named it.
        options: Options with address and variable, if they are not the vendor's.
        environ: The environment of the process.

    Raises:
        UsageError: The variable is not set; says the command that sets it.
    """
    environ = os.environ if environ is None else environ
    base_url = options.base_url or vendor.base_url
    elsewhere = base_url.rstrip("/") != vendor.base_url
    if options.key_env is None and elsewhere:
        return base_url, NO_KEY
    names = (options.key_env,) if options.key_env else vendor.keys
    for name in names:
        if environ.get(name):
            return base_url, environ[name]
    raise UsageError(f"model {model!r} needs a key: export {names[0]}=YOUR_KEY")


def key_hint(options: ModelOptions, vendor: Vendor) -> str:
    """Return what to do if a server does not accept the key or the name."""
    if options.key_env:
        return f"; the key is that of {options.key_env}"
    if options.base_url and options.base_url.rstrip("/") != vendor.base_url:
        return "; no key was sent: name the variable that holds it with --key-env NAME"
    return f"; the key is that of {' or '.join(vendor.keys)}"


C = TypeVar("C")


class PerLoop(Generic[C]):
    """Makes a client when a loop first needs one.

    Args:
        make: The function that makes a client.
        close: Closes it.
    """

    def __init__(self, make: Callable[[], C], close: Callable[[C], Awaitable[object]]) -> None:
        self._make, self._close = make, close
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, C] = WeakKeyDictionary()

    def get(self) -> C:
        """Return the client of the running loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = self._make()
        return self._clients[loop]

    async def close(self) -> None:
        """Close the client of the running loop, if there is one."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await self._close(client)
