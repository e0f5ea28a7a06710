"""The definition written plainly, as an oracle."""

from collections.abc import Callable

import numpy as np
import pytest

from ems_definition import plain_parts


@pytest.fixture(scope="session")
def naive() -> Callable[[np.ndarray, np.ndarray, str], tuple[float, float]]:
    """Numerator and denominator of the definition, for two images and "paper" or "helm"."""
    return plain_parts
