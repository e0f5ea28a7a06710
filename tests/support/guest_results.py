"""What is expected of the guests of tests/kernels, and what came of one."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from chosen import chosen
from guest_disk import ROOT
from guest_machine import Step

#: Suite of its kernel, words for the kernel's command line, and what serves there, by the name of a guest.
ALL: dict[str, dict[str, Any]] = json.loads((ROOT / "tests/kernels/expected.json").read_text())
#: What I2S_KERNEL_PARTS chooses: jails take a minute or two of each guest, the others much longer.
_PARTS = chosen("I2S_KERNEL_PARTS", ("jails", "render", "attacks"))
_NONE: dict[str, Any] = {
    **({} if "attacks" in _PARTS else {"attacked": []}),
    **({} if "render" in _PARTS else {"rendered": [], "doctor": []}),
}
EXPECTED = {name: {**ALL[name], **_NONE} for name in chosen("I2S_REQUIRE_KERNELS", ALL)}
WAYS = [f"{user} {tier}" for user in ("root", "ordinary", "contained") for tier in ("NAMESPACE", "LANDLOCK")]
_REFUSED = 3  # of guest/jails.py


@dataclass(frozen=True)
class Guest:
    """What came of a guest.

    Attributes:
        name: Name in EXPECTED.
        steps: Steps by name.
    """

    name: str
    steps: dict[str, Step]

    def output(self, name: str) -> Any:
        """Return what a step printed, which succeeded."""
        step = self.steps[name]
        assert step.code == 0, f"{name} ended with {step.code}:\n{step.out[-2000:]}\n{step.err}"
        return json.loads(step.out)

    def jail(self, name: str) -> dict[str, Any]:
        """Return what a jail is made of, or why it was refused."""
        step = self.steps[name]
        assert step.code in (0, _REFUSED), f"{name} ended with {step.code}:\n{step.out[-2000:]}\n{step.err}"
        about: dict[str, Any] = json.loads(step.out)
        return about

    @cached_property
    def landlock_abi(self) -> int:
        """Version of Landlock's interface that the kernel offers, 0 for none."""
        return int(self.jail("jail root LANDLOCK")["landlock_abi"])


def attack_names(folder: Path) -> list[str]:
    """Return the names of all attacks in a folder of modules."""
    return [
        node.name
        for path in sorted(folder.glob("*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.AsyncFunctionDef)
        and any(isinstance(mark, ast.Name) and mark.id == "attack" for mark in node.decorator_list)
    ]
