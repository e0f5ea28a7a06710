"""Where networks compute. What needs a GPU says so where there is none."""

import pytest

from i2s_metrics.errors import DeviceError
from i2s_metrics.model import Network, NetworkComparison

#: The most by which a value may differ between processors and a GPU.
AGREEMENT = 1e-4


@pytest.fixture
def devices(torch):
    from i2s_metrics.networks import loading

    return loading


@pytest.fixture
def gpus(torch, monkeypatch):
    """Makes torch see some number of GPUs."""

    def see(count):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: count)

    return see


@pytest.mark.parametrize(
    ("wanted", "count", "chosen"),
    [
        ("auto", 0, "cpu"),
        ("auto", 2, "cuda:0"),
        ("cpu", 2, "cpu"),
        ("cuda", 1, "cuda:0"),
        ("cuda:1", 2, "cuda:1"),
    ],
)
def test_the_device_is_the_one_wanted(devices, gpus, wanted, count, chosen):
    gpus(count)
    assert str(devices.choose_device(wanted)) == chosen


@pytest.mark.parametrize(("wanted", "count"), [("cuda", 0), ("cuda:0", 0), ("cuda:2", 2)])
def test_a_device_that_is_not_there_is_one_clear_line(devices, gpus, wanted, count):
    gpus(count)
    with pytest.raises(DeviceError, match=f"--device {wanted}: .* sees {count} GPUs"):
        devices.choose_device(wanted)


def test_a_processor_is_called_cpu(torch, devices):
    assert devices.describe(torch.device("cpu")) == "cpu"


def test_half_precision_with_an_error_is_seen(torch):
    from i2s_metrics.networks.feature_networks import Features
    from i2s_metrics.networks.loading import greatest_error

    class Mean:
        def __init__(self, factor):
            self.factor = factor

        def features(self, pictures, comparison):
            return [Features((picture.mean() * self.factor,)) for picture in pictures]

        def compare(self, one, other):
            return (one.layers[0] - other.layers[0]).abs()

    cpu = torch.device("cpu")
    exact = {Network.VGG16: Mean(1.0)}
    assert greatest_error(NetworkComparison.LPIPS, exact, {Network.VGG16: Mean(1.0)}, cpu) == 0
    assert 0.001 < greatest_error(NetworkComparison.LPIPS, exact, {Network.VGG16: Mean(1.01)}, cpu) < 0.1
    assert greatest_error(NetworkComparison.LPIPS, exact, {Network.VGG16: Mean(float("inf"))}, cpu) == float(
        "inf"
    )
    assert greatest_error(NetworkComparison.POOL, exact, exact, cpu) == 0


@pytest.mark.parametrize("comparison", NetworkComparison)
def test_a_gpu_gives_the_values_of_the_processor(torch, comparison, vgg16_state, inception):
    if not torch.cuda.is_available():
        pytest.skip("NOT TESTED: networks on a GPU; PyTorch sees none here")
    from i2s_metrics.networks import loading
    from i2s_metrics.networks.loading import greatest_error, make_network

    gpu = loading.choose_device("cuda")
    loading.prepare(gpu, 2, None)
    states = {Network.VGG16: vgg16_state, Network.INCEPTION: inception.state_dict()}
    network = comparison.network

    class Moving:
        """Takes images of the processor to the GPU and answers there."""

        inner = make_network(network, states[network], gpu, torch.float32)

        def features(self, pictures, kind):
            return self.inner.features(pictures.to(gpu), kind)

        def compare(self, one, other):
            return self.inner.compare(one, other)

    cpu = torch.device("cpu")
    plain = make_network(network, states[network], cpu, torch.float32)
    assert greatest_error(comparison, {network: plain}, {network: Moving()}, cpu) < AGREEMENT
