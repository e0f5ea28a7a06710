"""LPIPS with seeded convolutions and the real linear weights, against two independent packages."""

import warnings

import pytest

from i2s_metrics.model import NetworkComparison


@pytest.fixture(scope="module")
def pictures(torch):
    from i2s_metrics.networks.loading import drawn_pictures

    return drawn_pictures(256)


@pytest.fixture(scope="module")
def network(torch, vgg16_state):
    from i2s_metrics.networks.feature_networks import PerceptualNetwork, vgg16_layers
    from i2s_metrics.networks.files import heads_file

    heads = torch.load(heads_file(), weights_only=True, map_location="cpu")
    weights = [heads[f"lin{number}.model.1.weight"] for number in range(5)]
    return PerceptualNetwork(vgg16_layers(vgg16_state), weights)


def fill(net, state):
    """Put convolutions into another package's VGG16, whose layers keep their numbers."""
    for part in net.children():
        for place, layer in part.named_children():
            if hasattr(layer, "weight"):
                layer.weight.data = state[f"features.{place}.weight"]
                layer.bias.data = state[f"features.{place}.bias"]


_TORCHMETRICS = pytest.param(
    "torchmetrics", marks=pytest.mark.nightly(instead="the same with lpips, whose network it holds too")
)


@pytest.fixture(scope="module", params=["lpips", _TORCHMETRICS])
def oracle(request, torch, vgg16_state):
    """A function of two images in [-1, 1] that gives their distance."""
    from i2s_metrics.networks.feature_networks import declare_missing_operators

    declare_missing_operators()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if request.param == "lpips":
            package = pytest.importorskip("lpips").LPIPS(net="vgg", pnet_rand=True, verbose=False)
        else:
            module = pytest.importorskip("torchmetrics.functional.image.lpips")
            package = module._LPIPS(pretrained=True, net="vgg", pnet_rand=True)
    fill(package.net, vgg16_state)
    return package.eval()


def distance(torch, network, one, other):
    with torch.inference_mode():
        features = network.features(torch.stack([one, other]), NetworkComparison.LPIPS)
        return float(network.compare(*features))


def test_the_distance_is_that_of_other_packages(torch, network, oracle, pictures):
    for one, other in [(0, 1), (0, 2), (2, 3)]:
        with torch.inference_mode():
            expected = float(oracle(2 * pictures[one][None] - 1, 2 * pictures[other][None] - 1))
        assert distance(torch, network, pictures[one], pictures[other]) == pytest.approx(expected, abs=1e-5)
        assert expected > 0.01


def test_the_distance_is_symmetric_and_zero_of_itself(torch, network, pictures):
    there, back = (distance(torch, network, *pair) for pair in [pictures[[0, 3]], pictures[[3, 0]]])
    assert there == pytest.approx(back, abs=1e-6)
    assert distance(torch, network, pictures[0], pictures[0]) == pytest.approx(0, abs=1e-6)


def test_a_distance_does_not_depend_on_the_rest_of_the_batch(torch, network, pictures):
    with torch.inference_mode():
        features = network.features(pictures, NetworkComparison.LPIPS)
        together = float(network.compare(features[1], features[3]))
    assert together == pytest.approx(distance(torch, network, *pictures[[1, 3]]), abs=1e-6)


def test_a_wrong_network_is_found_by_the_known_distance(torch, network):
    from i2s_metrics.errors import WeightsError
    from i2s_metrics.networks.loading import check_known_distance

    with pytest.raises(WeightsError, match="known"):
        check_known_distance(network, torch.device("cpu"))
