import asyncio
import math

import pytest

from i2s_chassis.errors import UnavailableError
from i2s_metrics.engine import complete
from i2s_metrics.model import ComparisonJob, Draft, Inputs, MetricValue, NetworkComparison
from i2s_metrics.networks.messages import NetworkAnswer
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import MetricFailure, MetricFailureKind, SizePolicy

EMS = MetricValue(0.5, {"block_emd": 0.1, "denominator": 0.2})


class Answers:
    """Networks that answer what they are told, all at once."""

    def __init__(self, answers):
        self.answers, self.asked = answers, []
        self.all_asked = asyncio.Event()

    async def compare(self, inputs):
        self.asked.append(inputs.comparison)
        if len(self.asked) == len(self.answers):
            self.all_asked.set()
        await self.all_asked.wait()
        answer = self.answers[inputs.comparison]
        if isinstance(answer, Exception):
            raise answer
        return NetworkAnswer(answer, 0.25)


def wanting(comparison):
    return Inputs(comparison, bytes(comparison.nbytes), bytes(comparison.nbytes))


async def completed(answers, metrics, outcomes, profile=Profile.PAPER):
    job = ComparisonJob(b"", b"", SizePolicy.PAD, profile, metrics)
    return await complete(job, Draft(outcomes, 3, 4, 1.0), Answers(answers))


async def test_values_follow_from_answers_and_the_rest_stays():
    score = await completed(
        {NetworkComparison.LPIPS: 0.25, NetworkComparison.POOL: 0.5},
        ("lpips", "ems", "cis"),
        (wanting(NetworkComparison.LPIPS), EMS, wanting(NetworkComparison.POOL)),
    )
    assert score.outcomes == (MetricValue(0.75), EMS, MetricValue(0.75))
    assert (score.width, score.height, score.cpu_seconds) == (3, 4, 1.5)


async def test_without_networks_a_draft_is_the_score():
    score = await completed({}, ("ems",), (EMS,))
    assert (score.outcomes, score.cpu_seconds) == ((EMS,), 1.0)


async def test_a_cosine_that_is_none_is_undefined_in_paper_and_zero_in_helm():
    (paper,) = (
        await completed({NetworkComparison.POOL: math.nan}, ("cis",), (wanting(NetworkComparison.POOL),))
    ).outcomes
    assert isinstance(paper, MetricFailure)
    assert paper.kind is MetricFailureKind.UNDEFINED
    logits = {NetworkComparison.LOGITS: math.nan}
    (helm,) = (await completed(logits, ("cis",), (wanting(NetworkComparison.LOGITS),), Profile.HELM)).outcomes
    assert helm == MetricValue(0.0)


async def test_a_cosine_beyond_one_by_rounding_gives_one():
    (cis,) = (
        await completed({NetworkComparison.POOL: 1.0000001}, ("cis",), (wanting(NetworkComparison.POOL),))
    ).outcomes
    assert cis == MetricValue(1.0)


async def test_where_networks_do_not_answer_there_is_no_score():
    with pytest.raises(UnavailableError):
        await completed(
            {NetworkComparison.LPIPS: UnavailableError("lost"), NetworkComparison.POOL: 0.5},
            ("lpips", "ems", "cis"),
            (wanting(NetworkComparison.LPIPS), EMS, wanting(NetworkComparison.POOL)),
        )
