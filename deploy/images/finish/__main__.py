"""Finishes the root file system of an image: python -m finish NAME [OPTIONS].

Leaves the packages that install-packages has installed and what these need, removes apt, dpkg and the files
of the build itself, and writes the bill of materials. No package can be installed afterwards.
"""

from __future__ import annotations

import argparse
import datetime
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from finish.libraries import missing_libraries
from finish.removal import AVIF, clear_privileges, everything_below, remove_unneeded
from finish.sbom import write_sbom

_WANTED = Path("/opt/i2s/packages")
_INSTALLER = Path("/usr/local/bin/install-packages")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the arguments, and change the file system of this container."""
    parser = argparse.ArgumentParser(prog="finish")
    parser.add_argument("image", help="name of the image, for its bill of materials")
    parser.add_argument(
        "--without",
        nargs="+",
        default=[],
        help="Debian packages that are not needed although others need them",
    )
    parser.add_argument(
        "--without-avif", action="store_true", help="remove Pillow's support of AVIF from the Python packages"
    )
    parser.add_argument(
        "--remove", nargs="+", default=[], help="patterns of paths, relative to the root, that are removed"
    )
    given = parser.parse_args(arguments)
    root = Path("/")
    wanted = _WANTED.read_text(encoding="utf-8").split()
    before = missing_libraries(everything_below(root))
    globs = (*(AVIF if given.without_avif else ()), *given.remove)
    remove_unneeded(root, wanted, given.without, globs)
    for library, users in missing_libraries(everything_below(root)).items():
        if library not in before:
            raise SystemExit(
                f"finish: {users[0]} is linked with {library}, whose package was removed; "
                "give that package to install-packages"
            )
    clear_privileges(root)
    subprocess.run(["/sbin/ldconfig"], check=True)
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.now(datetime.UTC)
    write_sbom(root, given.image, datetime.datetime.fromtimestamp(int(epoch), datetime.UTC) if epoch else now)
    shutil.rmtree(Path(__file__).parent)
    _WANTED.unlink()
    _INSTALLER.unlink()


if __name__ == "__main__":
    main()
