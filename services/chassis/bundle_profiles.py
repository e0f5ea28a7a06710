"""Put the security profiles that remedies name into the wheel, as i2s_chassis/profiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: Files of the repository; see i2s_chassis.jail.host.
PROFILES = ("deploy/apparmor/i2s-bwrap", "deploy/seccomp/i2s-namespace.json")


class BundleProfiles(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the profiles to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files. Called for wheels and for editable installs, which get none.

        Args:
            version: "standard" or "editable".
            build_data: What hatchling builds from; ``force_include`` maps files to their places in the wheel.

        Raises:
            FileNotFoundError: A profile is missing: this is not a checkout.
        """
        if version != "standard":
            return
        repository = Path(self.root).parents[1]
        for name in PROFILES:
            file = repository / name
            if not file.is_file():
                raise FileNotFoundError(f"{file} is missing; build the wheel in a checkout")
            build_data["force_include"][str(file)] = f"i2s_chassis/profiles/{file.name}"
