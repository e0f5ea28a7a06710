"""Episodes in verifiers: a model looks at the renderings of its answers and corrects them.

Plays the first instances with a model behind an address that speaks OpenAI's chat completions, such as one of
vLLM, and prints the reward of each turn. Its key is in the environment variable OPENAI_API_KEY. Needs
``pip install 'i2s-sdk[verifiers]'``; the harness of verifiers installs its program with uv. The same by its
command line, which stores the traces, is in docs/environments.md.

    python examples/integrations/verifiers_environment.py http://127.0.0.1:8000/v1 Qwen/Qwen3-VL-4B-Instruct
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from itertools import islice

import verifiers.v1 as vf
from verifiers.v1.utils.loaders import load_environment, resolve_env_config

#: The reward of an answer that ignores the image; i2s_training.task_floors measures it for your data.
FLOOR = 0.5
TURNS, INSTANCES = 3, 4
#: The program that asks the model runs here; it executes nothing that the model says.
AGENT = {"runtime": {"type": "subprocess"}}


async def play(
    address: str,
    model: str,
    number: int,
    agent: Mapping[str, object] = AGENT,
    turns: int = TURNS,
    final: str = "last",
) -> Sequence[vf.Episode]:
    """Return the episodes of the first instances."""
    taskset = {"id": "i2s-verifiers", "task": {"floor": FLOOR, "normalize": True}}
    config = {"taskset": taskset, "agent": agent, "turns": turns, "final": final}
    environment = load_environment(resolve_env_config(config))
    client = vf.EvalClientConfig(base_url=address, api_key_var="OPENAI_API_KEY")
    context = vf.ModelContext(model=model, client=client)
    async with environment.serving():
        tasks = islice(environment.taskset, number)
        return await asyncio.gather(*(environment.run_episode(task, context) for task in tasks))


def main(address: str, model: str) -> None:
    """Print what became of each instance."""
    for episode in asyncio.run(play(address, model, INSTANCES)):
        for trace in episode.traces:
            turns = ", ".join(f"{reward:.2f}" for reward in trace.info.get("episode", {}).get("rewards", []))
            ended = f"reward {trace.reward:.2f}" if trace.ok else f"no reward: {trace.last_error}"
            print(f"{trace.task.data.id}: turns {turns or 'none'}; {ended}")


if __name__ == "__main__":
    main(*sys.argv[1:])
