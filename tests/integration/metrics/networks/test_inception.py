"""The pipeline of cis with a seeded network, against torchvision's transforms and network called plainly."""

import numpy as np
import pytest
from PIL import Image

from i2s_metrics.functional.feature_similarity import cis_input, cis_input_of_leaderboard
from i2s_metrics.model import Inputs, Network, NetworkComparison

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


@pytest.fixture(scope="module")
def answer(torch, inception):
    """The cosine that the process of the networks would answer."""
    from i2s_metrics.networks.feature_networks import InceptionNetwork, inception_v3
    from i2s_metrics.networks.runner import NetworkRunner

    network = InceptionNetwork(inception_v3(inception.state_dict()))
    runner = NetworkRunner({Network.INCEPTION: network}, torch.device("cpu"), 10**7)

    def ask(comparison, one, other):
        return runner.answer([Inputs(comparison, one.tobytes(), other.tobytes())])[0]

    return ask


def pictures(*sizes):
    rng = np.random.default_rng(5)
    return [
        np.asarray(Image.fromarray(rng.integers(0, 256, (9, 9, 3), dtype=np.uint8)).resize(size))
        for size in sizes
    ]


def cosine(torch, one, other):
    return float(torch.nn.functional.cosine_similarity(one.double(), other.double(), dim=0))


def test_the_leaderboards_cosine_is_that_of_the_class_scores_of_the_cropped_picture(torch, inception, answer):
    from torchvision import transforms

    pipeline = transforms.Compose(
        [
            transforms.Resize(299),
            transforms.CenterCrop(299),
            transforms.ToTensor(),
            transforms.Normalize(MEAN, DEVIATION),
        ]
    )
    one, other = pictures((640, 200), (310, 900))
    with torch.inference_mode():
        expected = cosine(
            torch, *inception(torch.stack([pipeline(Image.fromarray(p)) for p in (one, other)]))
        )
    found = answer(NetworkComparison.LOGITS, cis_input_of_leaderboard(one), cis_input_of_leaderboard(other))
    assert found == pytest.approx(expected, abs=1e-5)


def test_the_papers_cosine_is_that_of_the_last_pooling_of_the_whole_picture(torch, inception, answer):
    from torchvision import transforms
    from torchvision.models import inception_v3

    pipeline = transforms.Compose(
        [transforms.Resize((299, 299)), transforms.ToTensor(), transforms.Normalize(MEAN, DEVIATION)]
    )
    # The network that torchvision makes for published weights, without the last layer.
    plain = inception_v3(weights=None, init_weights=False, transform_input=True).eval()
    plain.load_state_dict(inception.state_dict())
    plain.fc = torch.nn.Identity()
    one, other = pictures((640, 200), (310, 900))
    with torch.inference_mode():
        vectors = plain(torch.stack([pipeline(Image.fromarray(p)) for p in (one, other)]))
    assert vectors.shape == (2, 2048)
    found = answer(NetworkComparison.POOL, cis_input(one), cis_input(other))
    assert found == pytest.approx(cosine(torch, *vectors), abs=1e-5)


@pytest.mark.parametrize("comparison", [NetworkComparison.POOL, NetworkComparison.LOGITS])
def test_the_cosine_is_symmetric_and_one_of_itself(answer, comparison):
    one, other = (cis_input(picture) for picture in pictures((100, 100), (100, 100)))
    other = np.ascontiguousarray(other[::-1])
    assert answer(comparison, one, other) == pytest.approx(answer(comparison, other, one), abs=1e-6)
    assert answer(comparison, one, one) == pytest.approx(1, abs=1e-12)
    assert answer(comparison, one, other) < 1
