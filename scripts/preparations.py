#!/usr/bin/env python3
"""Does what renderers want done once after they are installed, such as an index of TeX's packages.

The exit code is 1 if something was not done; the renderer does it at its first start then.
"""

from __future__ import annotations

import subprocess
import sys

from i2s_wire.renderers import RENDERER_SPECS


def main() -> int:
    """Do it for all renderers of this project; returns the exit code."""
    code = 0
    for spec in RENDERER_SPECS:
        if spec.preparation is not None:
            title = spec.preparation.title
            print(f"{title[:1].upper()}{title[1:]}", flush=True)
            command = [sys.executable, "-m", spec.module, *spec.preparation.arguments]
            if subprocess.run(command, check=False).returncode:
                print(f"It was not done; the {spec.title} does it when it starts.", flush=True)
                code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
