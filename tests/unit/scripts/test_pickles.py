"""Attacks on the reader of pickles, and what it reads."""

import builtins
import copyreg
import io
import os
import pickle
import pickletools
import subprocess

import numpy as np
import pytest

from i2s_metrics.errors import WeightsError
from vgg16.pickles import load_arrays


class Reduced:
    """Pickles as a call of anything with anything."""

    def __init__(self, function, *arguments):
        self.called = function, arguments

    def __reduce__(self):
        return self.called


def touch(path):
    return Reduced(os.system, f"touch {path}")


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("place", ["top", "key", "leaf", "state"])
def test_a_pickle_cannot_run_a_command(tmp_path, protocol, place):
    victim = tmp_path / "pwned"
    attack = touch(victim)
    hostile = {
        "top": attack,
        "key": {"a": {}, "b": [attack]},
        "leaf": {"a": {"kernel": attack}},
        "state": {"a": (np.zeros(2, np.float32), attack)},
    }[place]
    with pytest.raises(WeightsError):
        load_arrays(pickle.dumps(hostile, protocol))
    assert not victim.exists()


def test_the_attack_works_on_pickle_itself(tmp_path):
    pickle.loads(pickle.dumps(touch(tmp_path / "pwned")))
    assert (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    "function",
    [
        builtins.eval,
        builtins.exec,
        builtins.getattr,
        builtins.__import__,
        subprocess.Popen,
        vars(copyreg)["_reconstructor"],
        np.load,
        np.memmap,
        np.frombuffer,
    ],
    ids=lambda function: function.__name__,
)
def test_nothing_but_arrays_can_be_named(function):
    with pytest.raises(WeightsError, match="asks for"):
        load_arrays(pickle.dumps({"a": Reduced(function, "1")}))


@pytest.mark.parametrize(
    "names",
    [
        ("numpy", "core.multiarray._reconstruct"),
        ("numpy.core", "multiarray"),
        ("numpy", "ndarray.__class__"),
        ("", ""),
    ],
)
def test_names_cannot_be_reached_through_dots(names):
    stream = (
        pickle.PROTO
        + b"\x04"
        + b"".join(pickle.SHORT_BINUNICODE + bytes([len(name)]) + name.encode() for name in names)
    )
    with pytest.raises(WeightsError, match="asks for"):
        load_arrays(stream + pickle.STACK_GLOBAL + pickle.STOP)


def test_a_pickle_cannot_refer_to_something_outside():
    class Pickler(pickle.Pickler):
        def persistent_id(self, obj):
            return "outside" if obj == "here" else None

    stream = io.BytesIO()
    Pickler(stream).dump({"a": "here"})
    with pytest.raises(WeightsError, match="outside"):
        load_arrays(stream.getvalue())


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(3, np.float64),
        np.zeros(3, ">f4"),
        np.zeros(3, np.int32),
        np.asfortranarray(np.zeros((2, 3), np.float32)),
        np.array([{}], object),
        np.zeros(2, [("f4", "f4")]),
    ],
    ids=["float64", "big-endian", "int", "fortran", "objects", "records"],
)
def test_arrays_of_another_kind_are_refused(array):
    with pytest.raises(WeightsError, match=r"array|asks for"):
        load_arrays(pickle.dumps({"a": array}, 3))


def test_an_array_that_does_not_fill_its_shape_is_refused():
    honest = pickle.dumps({"a": np.zeros((2, 3), np.float32)}, 3)
    for lie in (b"K\x02K\x04", b"K\x02J\xff\xff\xff\xff", b"K\xffK\xff", b"K\x02N"):
        assert honest.count(b"K\x02K\x03\x86") == 1
        with pytest.raises(WeightsError):
            load_arrays(honest.replace(b"K\x02K\x03", lie))


@pytest.mark.parametrize(
    "held", [{}.keys(), 3, "x", [1], None, {1: {}}, {"a": 1}, {"a": [np.zeros(1, "f4")]}], ids=str
)
def test_what_is_no_dictionary_of_arrays_is_refused(held):
    data = pickle.dumps(list(held) if isinstance(held, type({}.keys())) else held)
    with pytest.raises(WeightsError):
        load_arrays(data)


@pytest.mark.parametrize("data", [b"", b"\x80", b"garbage", b".", b"\x80\x04\x95", b"(((((" * 50])
def test_what_is_no_pickle_is_refused(data):
    with pytest.raises(WeightsError):
        load_arrays(data)


def test_arrays_come_out_as_they_went_in():
    rng = np.random.default_rng(0)
    arrays = {
        "a": {"kernel": rng.random((3, 3, 2, 4), "f4"), "bias": rng.random(4, "f4")},
        "b": np.zeros((0, 2), "f4"),
    }
    # NumPy 1 called this module by the name that published files have.
    data = pickle.dumps(arrays, 3).replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    assert "numpy.core.multiarray _reconstruct" in {
        str(argument) for _, argument, _ in pickletools.genops(data)
    }
    loaded = load_arrays(data)
    assert loaded.keys() == arrays.keys()
    for name in ("kernel", "bias"):
        assert loaded["a"][name].dtype == np.float32
        np.testing.assert_array_equal(loaded["a"][name], arrays["a"][name])
    assert loaded["b"].shape == (0, 2)
