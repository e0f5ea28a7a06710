r"""The lines that follow the fixed preamble and bring the packages that a document asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from i2s_sdk.tasks.latex.packages import (
    LATE_OPTIONS,
    LATE_SETUP,
    NEEDLESS_PACKAGES,
    PAGE_PACKAGES,
    STAND_INS,
    Package,
)
from i2s_sdk.tasks.latex.preamble import fixed_packages


def loading_lines(packages: Sequence[Package], fixed: str) -> Iterator[str]:
    """Yield what makes ``packages`` available after the preamble ``fixed``, in their order.

    A package that the preamble has is not loaded again, since its options would clash: those that can
    still be given are given. One that would change the page, or has nothing left to do, is replaced by
    silent commands.
    """
    loaded = fixed_packages(fixed)
    names = {package.name for package in packages}
    for package in packages:
        if package.name in PAGE_PACKAGES | NEEDLESS_PACKAGES:
            yield from STAND_INS.get(package.name, ())
        elif package.name in loaded:
            yield from _late(package, names)
        else:
            yield package.line


def _late(package: Package, names: set[str]) -> Iterator[str]:
    if package.name == "physics":
        yield r"\physicsnames"
    if package.name == "siunitx" and "physics" not in names:
        # Both packages of the fixed preamble want this name; it goes to the one that was asked for.
        yield r"\RenewCommandCopy\qty\SI"
    if package.options and package.name in LATE_SETUP:
        yield LATE_SETUP[package.name] % package.options
    for option in package.options.split(","):
        late = LATE_OPTIONS.get((package.name, option.strip()))
        if late:
            yield late
