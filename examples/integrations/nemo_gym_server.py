"""A resources server for NeMo Gym, whose ``/verify`` renders an answer and compares it with the image.

A row of the data set has, beside ``responses_create_params``, the field ``instance``: the id of an instance
of the data set of the configuration. Needs nemo-gym (0.7, which needs Python 3.13.14). Running services are
found by I2S_RENDER_LATEX and I2S_METRICS; others are started here.

    gym env start "+config_paths=[…/nemo_gym_server.yaml, …]"

An answer that a service failed to judge is not one with the reward 0: its row is masked
(``mask_sample: true``), goes to the failures of the collection, and is left out of its metrics.
"""

from __future__ import annotations

from functools import cached_property

from nemo_gym.base_resources_server import (
    BaseResourcesServerConfig,
    BaseRunRequest,
    BaseVerifyRequest,
    BaseVerifyResponse,
    ReverifyMode,
    SimpleResourcesServer,
)
from nemo_gym.judge import JudgeError

from i2s_training import RoundTripReward


class RoundTripConfig(BaseResourcesServerConfig):
    """Which instances are judged, and how."""

    REVERIFY_MODE = ReverifyMode.STATELESS

    task: str = "latex"
    #: The data set, as ``i2s-sdk evaluate --data`` takes it; None is the bundled examples.
    data: str | None = None
    #: What an answer that looks at nothing has.
    floor: float = 0.5


class RoundTripRunRequest(BaseRunRequest):
    """A row of the data set."""

    instance: str


class RoundTripVerifyRequest(RoundTripRunRequest, BaseVerifyRequest):
    """A row with the response of the model."""


class RoundTripVerifyResponse(BaseVerifyResponse):
    """A row with its reward, and what it is made of."""

    instance: str
    verdict: str
    usable: bool
    first_error: str = ""


class RoundTripResourcesServer(SimpleResourcesServer):
    """The server."""

    config: RoundTripConfig

    @cached_property
    def reward(self) -> RoundTripReward:
        """The reward, which opens services at its first use."""
        given = self.config
        return RoundTripReward(given.task, floor=given.floor, normalize=True, clip=True, data=given.data)

    async def verify(self, body: RoundTripVerifyRequest) -> RoundTripVerifyResponse:
        """Return the reward of a response.

        Raises:
            JudgeError: There is none, because of a service or of the data; NeMo Gym masks the row.
        """
        (found,) = await self.reward.judged_async([body.response.output_text], {"instance": [body.instance]})
        if found.value is None or found.result is None:
            raise JudgeError(found.error.message if found.error else "none of the metrics is defined")
        rendering = found.result.record.rendering
        return RoundTripVerifyResponse(
            **body.model_dump(),
            reward=found.value,
            verdict=rendering.verdict.name if rendering.verdict else found.result.outcome.name,
            usable=rendering.usable,
            first_error=rendering.error.message if rendering.error else "",
        )


if __name__ == "__main__":
    RoundTripResourcesServer.run_webserver()
