"""Put the security profiles that remedies name into built packages, as i2s_chassis/profiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: Files of the repository; see i2s_chassis.jail.host.
PROFILES = ("deploy/apparmor/i2s-bwrap", "deploy/seccomp/i2s-namespace.json")


class BundleProfiles(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the profiles to a wheel and to a source distribution, whose wheels have them from there."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files. Called for editable installs too, which get none.

        Args:
            version: "standard" or "editable".
            build_data: What hatchling builds from; ``force_include`` maps files to their places.

        Raises:
            FileNotFoundError: A profile is missing: this is not a checkout.
        """
        root = Path(self.root)
        if version != "standard" or (root / "src/i2s_chassis/profiles").is_dir():  # a source distribution
            return
        repository = root.parents[1]
        parent = "src/" if self.target_name == "sdist" else ""
        for name in PROFILES:
            file = repository / name
            if not file.is_file():
                raise FileNotFoundError(f"{file} is missing; build the wheel in a checkout")
            build_data["force_include"][str(file)] = f"{parent}i2s_chassis/profiles/{file.name}"
