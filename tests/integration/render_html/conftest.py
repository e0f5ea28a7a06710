"""The whole service as a process, with two browsers and Jekyll."""

import pytest

from i2s_chassis.contract import running_of
from renderers import HTML

running = running_of(HTML, scope="session")


@pytest.fixture(scope="session")
def started(running):
    """The client of a running service, and its pid."""
    return running.stub, running.process.pid


@pytest.fixture(scope="session")
def service(running):
    """The client alone."""
    return running.stub
