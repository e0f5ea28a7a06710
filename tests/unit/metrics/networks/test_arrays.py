import numpy as np
import pytest

from i2s_metrics.errors import WeightsError
from i2s_metrics.networks import arrays
from i2s_metrics.networks.weights_file import WeightsFile


def test_a_digest_depends_on_names_shapes_and_values_alone(tmp_path):
    weights = {"b": np.arange(6, dtype="f4").reshape(2, 3), "a": np.zeros(1, "f4")}
    known = arrays.digest(weights)
    arrays.write(tmp_path / "deep" / "x.npz", weights)
    assert arrays.digest(arrays.read(WeightsFile(tmp_path / "deep" / "x.npz"))) == known
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["x.npz"]
    assert arrays.digest(dict(reversed(weights.items()))) == known
    assert arrays.digest({**weights, "b": weights["b"].reshape(3, 2)}) != known
    assert arrays.digest({**weights, "b": weights["b"] + 1}) != known
    assert arrays.digest({"b": weights["b"], "c": weights["a"]}) != known


def test_pickles_inside_an_archive_of_arrays_are_refused(tmp_path):
    np.savez(tmp_path / "x.npz", a=np.array([{}], object))
    with pytest.raises(WeightsError, match="cannot be read"):
        arrays.read(WeightsFile(tmp_path / "x.npz"))
