"""What calls cost: a list of prices in a file, which a user may replace."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path

from i2s_sdk.errors import DataError
from i2s_sdk.json_text import read_toml
from i2s_sdk.models.provider import Provider
from i2s_sdk.models.vendors import VENDORS

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens, in and out."""

    per_million_in: float
    per_million_out: float


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by name of the model, of the vendors' own servers and of others.

    Attributes:
        models: Models by VENDOR/MODEL, on the vendor's own server.
        servers: The same by base URL.
    """

    models: Mapping[str, Price]
    servers: Mapping[str, Mapping[str, Price]] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path | None = None) -> Prices:
        """Return the prices in a file, or the bundled ones.

        Raises:
            DataError: The file cannot be read or is not of the form of the bundled one.
        """
        if path is None:
            return _bundled()
        try:
            return cls.parse(path.read_text("utf-8"))
        except OSError as error:
            raise DataError(path, 0, f"cannot be read: {error.strerror}") from None
        except (ValueError, UnicodeDecodeError) as error:
            raise DataError(path, 0, f"is no list of prices: {error}") from None

    @classmethod
    def parse(cls, text: str) -> Prices:
        """Return the prices in the text of a file.

        Raises:
            ValueError: It is not of the form.
        """
        content = read_toml(text)
        unknown = sorted(set(content) - {"models", "servers"})
        if unknown:
            raise ValueError(f"no table is called {unknown[0]!r}; there are models and servers")
        servers = content.get("servers", {})
        if not isinstance(servers, dict):
            raise ValueError("servers must be a table of tables")
        return cls(
            _prices(content.get("models", {})),
            {_plain(url): _prices(table) for url, table in servers.items()},
        )

    def price(self, vendor: str, model: str, base_url: str = "") -> Price | None:
        """Return the price of a model, or None if the list does not know it.

        Args:
            vendor: Vendor, such as "openai".
            model: Model as the vendor names it.
            base_url: Address of the server; empty is the vendor's own.
        """
        own = not base_url or (vendor in VENDORS and _plain(base_url) == _plain(VENDORS[vendor].base_url))
        table = self.models if own else self.servers.get(_plain(base_url), {})
        name = f"{vendor}/{model}"
        if name in table:
            return table[name]
        fitting = [key for key in table if key.endswith("*") and name.startswith(key[:-1])]
        return table[max(fitting, key=len)] if fitting else None

    def cost(self, provider: Provider, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """Return what a call cost in US dollars; None if tokens or price are not known."""
        price = self.price(provider.vendor, provider.model, provider.base_url)
        if price is None or tokens_in is None or tokens_out is None:
            return None
        return cost(price, tokens_in, tokens_out)


def cost(price: Price, tokens_in: int, tokens_out: int) -> float:
    """Return the US dollars of so many tokens."""
    return (tokens_in * price.per_million_in + tokens_out * price.per_million_out) / _MILLION


@cache
def _bundled() -> Prices:
    return Prices.parse(files("i2s_sdk.models").joinpath("prices.toml").read_text("utf-8"))


def _prices(table: object) -> dict[str, Price]:
    if not isinstance(table, dict):
        raise ValueError("models and each server must be a table")
    return {name: _price(name, value) for name, value in table.items()}


def _price(name: str, value: object) -> Price:
    match value:
        case {"in": int() | float() as per_in, "out": int() | float() as per_out, **rest} if not rest:
            if 0 <= per_in < math.inf and 0 <= per_out < math.inf:
                return Price(float(per_in), float(per_out))
    raise ValueError(f"{name}: must be {{ in = DOLLARS, out = DOLLARS }} for a million tokens")


def _plain(url: str) -> str:
    return url.rstrip("/").lower()
