"""The contract of renderers as tests, for the test modules of any renderer; needs the extra ``contract``.

::

    from i2s_chassis.contract import Renderer, attacks_of, contract_of

    running, TestContract = contract_of(Renderer(SPEC, ...))

A module of tests gets all of them by this line; ``suite`` says what they are.
"""

import pytest

pytest.register_assert_rewrite(
    *(f"{__name__}.{name}" for name in ("suite", "running", "audit", "lost_cell", "surrogates"))
)

from i2s_chassis.contract.renderer import Renderer, Source, generic_source  # noqa: E402 - after its registration
from i2s_chassis.contract.running import (  # noqa: E402
    HANG_SECONDS,
    NOT_SERVING,
    QUEUE,
    SERVING,
    SLOTS,
    Running,
    serving,
)
from i2s_chassis.contract.suite import attacks_of, contract_of, running_of, suite_of  # noqa: E402

__all__ = [
    "HANG_SECONDS",
    "NOT_SERVING",
    "QUEUE",
    "SERVING",
    "SLOTS",
    "Renderer",
    "Running",
    "Source",
    "attacks_of",
    "contract_of",
    "generic_source",
    "running_of",
    "serving",
    "suite_of",
]
