import importlib.util
import os
import sys

import numpy as np
import pytest

from i2s_metrics.errors import WeightsError
from i2s_metrics.model import Network
from i2s_metrics.networks import arrays, files
from i2s_wire.installation import networks_command


@pytest.fixture
def places(tmp_path):
    places = files.Places(tmp_path / "weights", tmp_path / "hub")
    places.weights_dir.mkdir()
    places.checkpoints.mkdir(parents=True)
    return places


@pytest.fixture
def known(monkeypatch):
    """Makes the content of a file the published one."""

    def publish(network, content):
        import hashlib

        prefix = hashlib.sha256(content).hexdigest()[:8]
        monkeypatch.setitem(
            files.PUBLISHED, network, files.PublishedFile(f"net-{prefix}.pth", "https://example.org")
        )
        return f"net-{prefix}.pth"

    return publish


def test_what_is_nowhere_is_missing_and_the_reason_says_what_to_do(places):
    pytest.importorskip("torch")
    inventory = files.take_inventory(places)
    assert inventory.found == {}
    for network in Network:
        assert "--weights-dir" in inventory.missing[network]
        assert "--hub-dir" in inventory.missing[network]
        assert "i2s-metrics weights" in inventory.missing[network]


def _unreadable(path):
    path.mkdir()


def _no_archive(path):
    path.write_bytes(b"no archive")


def _absent(path):
    """Write nothing."""


@pytest.mark.parametrize("make", [_absent, _no_archive, _unreadable])
def test_reasons_hold_no_path_of_the_machine(places, tmp_path, make):
    """Clients are given them, and runs store them."""
    pytest.importorskip("torch")
    make(places.weights_dir / files.CONVERTED_VGG16.name)
    (places.weights_dir / files.PUBLISHED[Network.INCEPTION].name).write_bytes(b"something else")
    for reason in files.take_inventory(places).missing.values():
        assert str(tmp_path) not in reason
        assert sys.prefix not in reason


def test_without_a_library_the_reason_names_the_command_that_installs_it(places, monkeypatch):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "torch" else find_spec(name)
    )
    inventory = files.take_inventory(places)
    assert set(inventory.missing) == set(Network)
    assert all(
        "torch" in reason and reason.endswith(networks_command()) for reason in inventory.missing.values()
    )


def test_other_linear_weights_are_refused(places, monkeypatch, tmp_path):
    pytest.importorskip("torch")
    (tmp_path / "vgg.pth").write_bytes(b"others")
    monkeypatch.setattr(files, "heads_file", lambda: tmp_path / "vgg.pth")
    with pytest.raises(WeightsError, match=r"v0\.1"):
        files.check_libraries()


@pytest.mark.parametrize("where", ["weights_dir", "checkpoints"])
def test_published_files_are_found_by_name_and_digest(places, known, where):
    file = getattr(places, where) / known(Network.INCEPTION, b"published")
    file.write_bytes(b"published")
    assert files.find(Network.INCEPTION, places).path == file


def test_a_damaged_file_is_refused_and_named(places, known):
    file = places.weights_dir / known(Network.INCEPTION, b"published")
    file.write_bytes(b"something else")
    with pytest.raises(WeightsError, match=f"{file.name} is damaged"):
        files.find(Network.INCEPTION, places)


def test_a_damaged_file_does_not_hide_a_good_one(places, known):
    name = known(Network.INCEPTION, b"published")
    (places.weights_dir / name).write_bytes(b"something else")
    (places.checkpoints / name).write_bytes(b"published")
    assert files.find(Network.INCEPTION, places).path == places.checkpoints / name


@pytest.mark.parametrize(
    "content", [{"features.0.weight": np.zeros((64, 3, 3, 3), "f4")}, b"no archive", b""]
)
def test_imported_weights_are_known_by_their_content(places, content):
    file = places.weights_dir / files.CONVERTED_VGG16.name
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        arrays.write(file, content)
    with pytest.raises(WeightsError, match=file.name):
        files.find(Network.VGG16, places)


@pytest.mark.slow
def test_the_names_of_published_files_are_those_of_torchvision():
    pytest.importorskip("torch")
    from i2s_metrics.networks.feature_networks import declare_missing_operators

    declare_missing_operators()
    from torchvision.models import Inception_V3_Weights, VGG16_Weights

    assert files.PUBLISHED[Network.VGG16].url == VGG16_Weights.IMAGENET1K_V1.url
    assert files.PUBLISHED[Network.INCEPTION].url == Inception_V3_Weights.IMAGENET1K_V1.url
    for file in files.PUBLISHED.values():
        assert file.url.endswith(f"/{file.name}")
        assert len(file.sha256_prefix) == 8


def test_files_that_were_opened_before_are_read_where_their_paths_are_closed(places, known):
    """Those in root's home are closed to the user that a service becomes."""
    file = places.weights_dir / known(Network.INCEPTION, b"published")
    file.write_bytes(b"published")
    (places.checkpoints / file.name).write_bytes(b"something else")
    opened = files.open_candidates(places)
    file.rename(file.with_name("elsewhere"))
    with pytest.raises(WeightsError):
        files.find(Network.INCEPTION, places)
    found = files.find(Network.INCEPTION, opened)
    for _ in range(2):  # from the beginning each time
        with found.open() as content:
            assert content.read() == b"published"


def test_only_the_files_in_use_stay_open(places, known):
    name = known(Network.INCEPTION, b"published")
    for folder in (places.weights_dir, places.checkpoints):
        (folder / name).write_bytes(b"published")
    opened = files.open_candidates(places)
    inventory = files.Inventory({Network.INCEPTION: files.find(Network.INCEPTION, opened)}, {})
    files.close_all_but(inventory, opened)
    assert os.fstat(opened.opened[places.weights_dir / name]).st_size == len(b"published")
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(opened.opened[places.checkpoints / name])


def test_what_is_no_regular_file_is_not_opened(places, known):
    path = places.weights_dir / known(Network.INCEPTION, b"published")
    os.mkfifo(path)
    assert files.open_candidates(places).opened == {}
