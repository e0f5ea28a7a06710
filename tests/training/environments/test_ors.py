"""Episodes behind the server of the Open Reward Standard, as its client plays them."""

from __future__ import annotations

from collections.abc import Iterator

import ors_server
import pytest
from ors.client import ORS

from i2s_sdk import Settings
from i2s_sdk.data import Instance
from i2s_training import RoundTripReward
from served_app import served

pytestmark = pytest.mark.usefixtures("found_by_name")


@pytest.fixture
def url(running: Settings) -> Iterator[str]:
    reward = RoundTripReward(floor=0.5, normalize=True, clip=True, settings=running)
    with served(ors_server.server(reward, str(running.examples)).app) as address:
        yield address
    reward.close()


def test_its_client_finds_the_instances_and_plays_an_episode(
    url: str, posterior: Instance, truth: str, broken: str
) -> None:
    with ORS(base_url=url) as client:
        environment = client.environment("RoundTrip")
        assert [tool.name for tool in environment.list_tools()] == ["submit"]
        assert environment.list_splits() == [ors_server.SPLIT]
        (task,) = [
            one
            for one in environment.list_tasks(ors_server.SPLIT)
            if one.task_spec == {"instance": posterior.id}
        ]
        with environment.session(task=task) as session:
            kinds = [one.type for one in session.get_prompt()]
            assert kinds == ["text", "image", "text"]
            first = session.call_tool("submit", {"answer": broken})
            assert (first.reward, first.finished, first.metadata["verdict"]) == (0.0, False, "COMPILE_ERROR")
            assert "The first error is" in first.blocks[-1].text
            second = session.call_tool("submit", {"answer": truth})
            assert second.reward == pytest.approx(1.0)
            assert [block.type for block in second.blocks] == ["text", "image", "text", "image", "text"]
            last = session.call_tool("submit", {"answer": truth})
            assert (last.reward, last.finished) == (pytest.approx(1.0), True)


def test_an_answer_that_no_service_judged_has_no_reward(
    running: Settings, posterior: Instance, truth: str
) -> None:
    nobody = "127.0.0.1:9"
    reward = RoundTripReward(
        settings=Settings(
            render_latex=nobody,
            metrics=nobody,
            retry_seconds=0.1,
            start_seconds=0.1,
            examples=running.examples,
        )
    )
    with (
        served(ors_server.server(reward, str(running.examples)).app) as address,
        ORS(base_url=address) as client,
    ):
        environment = client.environment("RoundTrip")
        with environment.session(split=ors_server.SPLIT, index=0) as session:
            session.get_prompt()
            lost = session.call_tool("submit", {"answer": truth})
            assert (lost.reward, lost.finished, lost.metadata["valid"]) == (None, False, False)
            assert nobody in lost.metadata["reason"]
            assert "because of a failure of the machine" in lost.blocks[0].text
    reward.close()
