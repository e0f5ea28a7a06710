"""The surface of the package."""

from __future__ import annotations

import subprocess
import sys

import i2s_sdk


def test_every_public_name_can_be_had_and_is_listed_once() -> None:
    assert sorted(set(i2s_sdk.__all__)) == i2s_sdk.__all__
    assert set(i2s_sdk.__all__) == set(i2s_sdk._HOMES)
    for name in i2s_sdk.__all__:
        assert getattr(i2s_sdk, name).__name__ == name
        assert name in dir(i2s_sdk)


def test_what_is_not_public_is_no_attribute() -> None:
    assert not hasattr(i2s_sdk, "evaluat")


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, i2s_sdk; print(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"grpc", "nltk", "rich", "PIL", "numpy", "asyncio", "click", "tenacity"}
    assert not heavy & set(answer.stdout.split())
