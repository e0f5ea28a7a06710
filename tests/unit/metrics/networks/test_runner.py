"""Batches, and what is kept, with a network that counts what it looks at."""

import numpy as np
import pytest

from i2s_metrics.model import Inputs, Network, NetworkComparison


def blank(level, comparison=NetworkComparison.LPIPS):
    return bytes([level]) * comparison.nbytes


@pytest.fixture
def counting(torch):
    from i2s_metrics.networks.feature_networks import Features

    class Counting:
        """The mean level of an image; the difference of two."""

        def __init__(self):
            self.batches, self.most = [], 1000

        def features(self, pictures, comparison):
            if len(pictures) > self.most:
                raise torch.OutOfMemoryError("too many")
            assert pictures.shape[1:] == (3, comparison.side, comparison.side)
            self.batches.append(len(pictures))
            return [Features((picture.mean() * 255,)) for picture in pictures]

        def compare(self, one, other):
            return (one.layers[0] - other.layers[0]).abs()

    return Counting()


@pytest.fixture
def runner(torch, counting):
    from i2s_metrics.networks.runner import NetworkRunner

    return lambda feature_bytes=10**6: NetworkRunner(
        {Network.VGG16: counting, Network.INCEPTION: counting}, torch.device("cpu"), feature_bytes
    )


def lpips(prediction, reference):
    return Inputs(NetworkComparison.LPIPS, blank(prediction), blank(reference))


def test_answers_come_in_the_order_of_the_batch(runner):
    batch = [lpips(10, 0), lpips(20, 50), lpips(0, 0)]
    assert runner().answer(batch) == pytest.approx([10, 30, 0], abs=1e-3)


def test_a_batch_looks_at_each_picture_once(runner, counting):
    runner().answer([lpips(10, 0), lpips(20, 0), lpips(10, 20), lpips(0, 0)])
    assert counting.batches == [3]


def test_references_are_kept_and_predictions_are_not(runner, counting):
    kept = runner()
    for level in (10, 20, 10):
        kept.answer([lpips(level, 0)])
    assert counting.batches == [2, 1, 1]


def test_without_memory_nothing_is_kept(runner, counting):
    forgetful = runner(feature_bytes=0)
    for _ in range(2):
        assert forgetful.answer([lpips(10, 0)]) == pytest.approx([10], abs=1e-3)
    assert counting.batches == [2, 2]


def test_comparisons_do_not_share_features(runner, counting):
    mixed = [
        Inputs(kind, blank(9, kind), blank(0, kind))
        for kind in (NetworkComparison.POOL, NetworkComparison.LOGITS, NetworkComparison.POOL)
    ]
    assert runner().answer(mixed) == pytest.approx([9, 9, 9], abs=1e-3)
    assert counting.batches == [2, 2]


def test_a_batch_too_large_for_the_device_is_halved(runner, counting):
    counting.most = 3
    batch = [lpips(level, 100 + level) for level in range(8)]
    assert runner(0).answer(batch) == pytest.approx([100] * 8, abs=1e-3)
    assert max(counting.batches) <= 3


def test_a_pair_too_large_for_the_device_is_a_fault(torch, runner, counting):
    counting.most = 1
    with pytest.raises(torch.OutOfMemoryError):
        runner().answer([lpips(1, 2)])


def test_pictures_reach_the_network_channel_by_channel(torch, runner, counting):
    picture = np.zeros((256, 256, 3), np.uint8)
    picture[0, 1] = (255, 51, 0)
    seen = []
    inner = counting.features

    def spying(pictures, comparison):
        seen.append(pictures.clone())
        return inner(pictures, comparison)

    counting.features = spying
    runner().answer([Inputs(NetworkComparison.LPIPS, picture.tobytes(), blank(0))])
    (tensor,) = seen
    assert tensor[0, :, 0, 1].tolist() == pytest.approx([1, 0.2, 0])
    assert float(tensor.sum()) == pytest.approx(1.2)
