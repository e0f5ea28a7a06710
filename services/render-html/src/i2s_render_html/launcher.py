"""The program that Playwright starts for Chromium: hands its end of the pipe to the service, and waits.

A program of its own on a bare interpreter: ``python -I -S launcher.py SOCKET``. Playwright speaks to a
browser over descriptors 3 and 4. They are sent to the service, which starts the real Chromium with them
inside a jail. The launcher lives until the service closes the connection, so that Playwright sees the
end of the browser as that of its child; when Playwright kills it, the service sees that in turn.
"""

import os
import socket
import sys

READS, WRITES = 3, 4


def main(path: str) -> None:
    """Send the descriptors to who listens at ``path``, then wait for the end of the connection."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(path)
        socket.send_fds(connection, [b"2"], [READS, WRITES])
        # Else the pipe would not end with the browser.
        os.close(READS)
        os.close(WRITES)
        connection.recv(1)


if __name__ == "__main__":
    main(sys.argv[1])
