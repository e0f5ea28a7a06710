"""A harness of verifiers that asks the model in its own process; that of verifiers installs packages first.

verifiers finds it by the name of this module, ``in-process-harness``.
"""

from __future__ import annotations

import httpx
import verifiers.v1 as vf
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.runtimes import ProgramResult

__all__ = ["InProcessHarness"]


class InProcessHarness(vf.Harness[vf.HarnessConfig]):
    """One question, one answer, by the server that verifiers puts before the model."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> ProgramResult:
        """Ask once."""
        system, prompt = self.resolve_prompt(data)
        messages = [message_to_wire(one) for one in prompt]
        asked = [{"role": "system", "content": system}, *messages] if system else messages
        async with httpx.AsyncClient(timeout=60, trust_env=False) as client:
            answer = await client.post(
                f"{endpoint}/chat/completions",
                headers={"Authorization": f"Bearer {secret}"},
                json={"model": ctx.model, "messages": asked},
            )
        return ProgramResult(0 if answer.is_success else 1, "", answer.text)
