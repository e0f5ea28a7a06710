"""Limits this process and becomes another program.

It is started as a file, and imports nothing of the package.

Arguments: CPU seconds, bytes of memory, then the program with its arguments.
"""

import math
import os
import resource
import sys

_SECONDS_TO_THE_KILL = 1  # after the signal of the soft limit, which a program may ignore


def main() -> None:
    """Set the limits, which the program cannot raise, and become the program."""
    seconds, memory = math.ceil(float(sys.argv[1])), int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + _SECONDS_TO_THE_KILL))
    try:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    except ValueError:
        if sys.platform != "darwin":  # which refuses any such limit
            raise
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])  # noqa: S606 - no shell is meant


if __name__ == "__main__":
    main()
