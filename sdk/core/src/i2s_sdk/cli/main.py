"""The group of commands, and what its failures end with.

Exit codes: 0 complete; 1 a fault, and another attempt may succeed; 2 the command was used wrongly, or is
refused, and another attempt would end in the same way; 3 too many samples have no score for reasons that are
ours, or a requirement does not hold; 4 another process works on the same run; 130 interrupted.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint
from types import FrameType
from typing import Any, NoReturn

import click

from i2s_client.plugins import PluginGroup, load_plugin, package_of, plugins, warn_of
from i2s_client.service_table import variable_name
from i2s_sdk.cli.terminal import say
from i2s_sdk.errors import I2SError, PluginError, UnknownNameError, UsageError, ownership
from i2s_sdk.visible import VisibleFormatter
from i2s_wire.installation import install_command
from i2s_wire.renderers import RENDERER_SPECS
from i2s_wire.tracing import exported_traces

FAULT, USAGE, BELOW_COVERAGE, IN_USE, INTERRUPTED = 1, 2, 3, 4, 130

#: Commands in the order in which people need them, each with its module; None for those of other packages.
COMMANDS: dict[str, str | None] = {
    "evaluate": "evaluate",
    "generate": "stages",
    "render-run": "stages",
    "score-run": "stages",
    "report": "report",
    "table": "report",
    "compare": "analyses",
    "correlations": "analyses",
    "repeats": "analyses",
    "ladder": "ladder",
    "agreement": "agreement",
    "show": "show",
    "export": "export",
    "log-run": "export",
    "merge": "export",
    "render": "render",
    "score": "score",
    "metrics": "score",
    "dataset": "dataset",
    "human-scores": "judge",
    "collect": None,
    "judge": "judge",
    "cache": "cache",
    "setup": "setup",
    "doctor": "services",
    "up": "services",
    "down": "services",
    "status": "services",
    "logs": "services",
    "deploy": "deploy",
    "http": None,
    "completion": "completion",
}

#: Commands of packages that i2s-sdk does not need, by full name, and the extra that installs each.
COMMANDS_ELSEWHERE = {
    "collect": "collect",
    "http": "http",
    "dataset publish": "collect",
    "dataset push": "collect",
}


class LazyGroup(click.Group):
    """A group that imports a command when it is used.

    Args:
        modules: The module of each command of this package, by name.
        kind: What a command is called when there is none of a name.
        order: Names of commands in the order in which they are listed; others follow.
        prefix: What stands before the names of this group's commands among those of other packages; None
            if no other package adds commands.
    """

    def __init__(
        self,
        *args: Any,  # noqa: ANN401
        modules: Mapping[str, str],
        kind: str,
        order: Sequence[str] = (),
        prefix: str | None = None,
        **more: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*args, **more)
        self._modules, self._kind, self._order, self._prefix = modules, kind, order, prefix

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands that are installed; one that cannot be used is left out."""
        elsewhere = [name for name in self._elsewhere() if self._is_usable(name)]
        names = [*self._modules, *self.commands, *elsewhere]
        return sorted(names, key=lambda name: self._order.index(name) if name in self._order else len(names))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command.

        Raises:
            UnknownNameError: There is none of that name.
        """
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        if cmd_name in self._modules:
            module = importlib.import_module(self._modules[cmd_name])
            command: click.Command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
            return command
        plugin = self._elsewhere().get(cmd_name)
        if plugin is not None:
            loaded = load_plugin(plugin)
            if not isinstance(loaded, click.Command):
                raise PluginError(
                    plugin.group, plugin.name, package_of(plugin), f"{plugin.value} is not a command"
                )
            return loaded
        if ctx.resilient_parsing:  # a word that is being completed
            return None
        extra = COMMANDS_ELSEWHERE.get(f"{self._prefix or ''}{cmd_name}")
        if extra is not None:
            raise UsageError(
                f"{cmd_name} is in a package that is not installed: {install_command(f'i2s-sdk[{extra}]')}"
            )
        raise UnknownNameError(self._kind, cmd_name, self.list_commands(ctx))

    def _is_usable(self, name: str) -> bool:
        try:
            load_plugin(self._elsewhere()[name])
        except PluginError as error:
            warn_of(error)
            return False
        return True

    def _elsewhere(self) -> Mapping[str, EntryPoint]:
        """Return the commands that other packages add to this group, by their names in it."""
        if self._prefix is None:
            return {}
        named = {
            name.removeprefix(self._prefix): plugin
            for name, plugin in plugins(PluginGroup.COMMANDS).items()
            if name.startswith(self._prefix)
        }
        return {
            name: plugin for name, plugin in named.items() if " " not in name and name not in self._modules
        }


@click.group(
    cls=LazyGroup,
    modules={name: f"i2s_sdk.cli.{module}" for name, module in COMMANDS.items() if module is not None},
    kind="command",
    order=tuple(COMMANDS),
    prefix="",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="i2s-sdk", prog_name="i2s-sdk")
def group() -> None:
    """Judge models that turn images into code: render their answers and compare the images.

    \b
    Examples:
      i2s-sdk setup
      i2s-sdk evaluate
      i2s-sdk evaluate --model replay:answers.jsonl --out runs/answers
      i2s-sdk render latex formula.tex -o formula.png
      i2s-sdk render html site/ -o page.png
      i2s-sdk score reference.png formula.png

    Services are started here and stopped again, unless {variables} and I2S_DOCUMENTS name
    running ones.

    Exit codes: 0 complete, 1 fault (another attempt may succeed), 2 usage, permissions or
    credentials (no attempt succeeds), 3 too many samples without a score, or a value below
    --require, 4 another process works on the run, 130 interrupted.
    """  # noqa: D301 - \b is for click


_NAMED = (*(renderer_spec.name for renderer_spec in RENDERER_SPECS), "metrics")
group.help = str(group.help).replace("{variables}", ", ".join(map(variable_name, _NAMED)))


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code."""
    log = logging.StreamHandler(sys.stderr)
    log.setFormatter(VisibleFormatter("%(message)s"))
    logging.basicConfig(handlers=[log], level=logging.WARNING)
    try:
        words = list(arguments)
        result = group.main(args=words, prog_name="i2s-sdk", standalone_mode=False, obj=list(arguments))
    except click.ClickException as error:
        buffer = io.StringIO()
        error.show(buffer)
        say(buffer.getvalue(), err=True, nl=False)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        say("interrupted", err=True)
        return INTERRUPTED
    except I2SError as error:
        say(f"error: {error.message}", err=True)
        return error.exit_code
    except OSError as error:  # of the file system, or of the terminal
        where = f"{error.filename}: " if error.filename else ""
        denied = ownership(error.filename) if isinstance(error, PermissionError) and error.filename else ""
        advice = f"; {denied}" if denied else ""
        say(f"error: {where}{error.strerror or error}{advice}", err=True)
        return USAGE
    return result if isinstance(result, int) else 0


def main() -> None:
    """Run the command line of this process."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # its remarks on lost connections are not for people
    signal.signal(signal.SIGTERM, interrupt)
    with exported_traces("i2s-sdk", "i2s-sdk", _warn):
        code = run(sys.argv[1:])
    if code == INTERRUPTED:
        _end_at_once()
    sys.exit(code)


def _end_at_once() -> NoReturn:
    """End as interrupted, without the end of the interpreter, which takes seconds on a busy machine."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(INTERRUPTED)


def _warn(line: str) -> None:
    say(f"warning: {line}", err=True)


def interrupt(number: int, frame: FrameType | None) -> None:
    """End as Ctrl-C does, even if that is ignored, so that everything that was started is stopped.

    A handler of signals.

    Raises:
        KeyboardInterrupt: Nothing is at work that could be cancelled.
    """
    from i2s_sdk.stack.blocking import interrupt_work

    if not interrupt_work():
        raise KeyboardInterrupt
