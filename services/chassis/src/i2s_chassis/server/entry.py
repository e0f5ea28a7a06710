"""The command line of a service: subcommands whose options are the fields of a settings object.

Two of them are here: ``serve``, and ``token``, which makes a token and what to add to the access file for it.
"""

from __future__ import annotations

import argparse
import difflib
import os
import sys
import textwrap
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, Literal, NoReturn, TypeVar

from pydantic import ByteSize, Field

from i2s_chassis.callers.access import is_caller_name, new_token, token_line
from i2s_chassis.errors import ServiceSettingsError, StartError, StartKilledError
from i2s_chassis.server.configure import CommandSettings, Leaf, Raw, place
from i2s_chassis.server.service import Service
from i2s_chassis.server.settings import Address, ServiceSettings

S = TypeVar("S", bound=CommandSettings)
V = TypeVar("V", bound=ServiceSettings)

_EXIT_START, _EXIT_USAGE, _EXIT_INTERRUPTED = 1, 2, 130


@dataclass(frozen=True)
class Command(Generic[S]):
    """A subcommand."""

    #: Name as typed.
    name: str
    #: One sentence for --help.
    summary: str
    #: Its options.
    settings: type[S]
    #: What it does; returns the exit code. May raise StartError.
    action: Callable[[S], int]
    #: Command lines for --help, without the program's name.
    examples: Sequence[str] = ()

    def run(self, options: Raw, print_config: bool) -> int:
        """Load the settings, then print them or act."""
        settings = self.settings.load(options)
        if print_config:
            print(settings.model_dump_json(indent=2))
            return 0
        return self.action(settings)


def serve_command(
    settings: type[V], build: Callable[[V], Service], examples: Sequence[str] = ()
) -> Command[V]:
    """Return the subcommand ``serve``.

    Args:
        settings: The service's settings.
        build: The function that makes the service; import it inside, so that --help stays fast.
        examples: More command lines for --help.
    """

    def serve(chosen: V) -> int:
        from i2s_chassis.server.logs import configure_logging
        from i2s_chassis.server.privileges import give_up, remove_stale_of_this_user

        configure_logging(chosen.service, chosen.log_level, chosen.log_format)
        _refuse_taken_addresses(chosen)
        removed = remove_stale_of_this_user()  # those of the user that it becomes are removed later
        jail = chosen.start_privileged()
        standing = give_up(chosen)
        if jail is not None:
            jail.add_mechanism(standing.mechanism)

        # Slow to import, and full of threads.
        from i2s_chassis.server.server import run_service

        return run_service(build(chosen), chosen, standing, jail, removed)

    usual = (
        "serve",
        "serve --listen 127.0.0.1:0 --announce /tmp/service.json --slots 4",
        "serve --listen 0.0.0.0:443 --tls-cert chain.pem --tls-key key.pem --metrics-listen 0.0.0.0:9100",
        "serve --config service.toml --print-config",
    )
    return Command("serve", "Serve over gRPC until SIGTERM.", settings, serve, (*usual, *examples))


def _refuse_taken_addresses(settings: ServiceSettings) -> None:
    """Find out at once what would end the start later: sandboxes are tested before the server can be made.

    Raises:
        StartError: Somebody else listens at one of the addresses.
    """
    listened = {
        "--listen": settings.listen,
        "--health-listen": settings.health_listen,
        "--metrics-listen": settings.metrics_listen,
    }
    for option, listen in listened.items():
        if listen is not None and Address.parse(listen).is_taken:
            raise StartError(f"{option} {listen}: the address is in use")


def run(program: str, commands: Sequence[Command[typing.Any]], argv: Sequence[str] | None = None) -> int:
    """Run what the command line says.

    Returns:
        The exit code: that of the action; 1 if it cannot start; EX_TEMPFAIL if something outside kept it from
        that; 2 for a bad option or value.
    """
    parser = _parser(program, commands)
    try:
        words = list(sys.argv[1:] if argv is None else argv)
        _check_command(words, commands)
        chosen, unknown = parser.parse_known_args(words)
        if unknown:
            raise ServiceSettingsError(_unknown(unknown[0], chosen))
        command: Command[typing.Any] = chosen.command
        return command.run(_options(command, chosen), chosen.print_config)
    except ServiceSettingsError as error:
        return _fail(f"{program}: {error.message}; see {program} --help", _EXIT_USAGE)
    except StartError as error:
        code = os.EX_TEMPFAIL if isinstance(error, StartKilledError) else _EXIT_START
        return _fail(f"{program}: {error.message}", code)
    except KeyboardInterrupt:
        return _EXIT_INTERRUPTED
    except SystemExit as stop:  # of --help
        return stop.code if isinstance(stop.code, int) else _EXIT_USAGE


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ServiceSettingsError(message)


def _parser(program: str, commands: Sequence[Command[typing.Any]]) -> _Parser:
    parser = _Parser(prog=program, allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    choices = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=_Parser)
    for command in commands:
        _add_command(program, choices, command)
    return parser


def _add_command(
    program: str, choices: argparse._SubParsersAction[_Parser], command: Command[typing.Any]
) -> None:
    examples = "".join(f"\n  {program} {example}" for example in command.examples)
    parser = choices.add_parser(
        command.name,
        usage="%(prog)s [OPTION]...",
        help=command.summary,
        description=f"{command.summary}\n\nEach option overrides its environment variable (in brackets), "
        "which overrides --config FILE.",
        epilog=f"examples:{examples}" if examples else None,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(command=command)
    parser.add_argument(
        "--print-config", action="store_true", help="print the settings in force as JSON, and end"
    )
    for leaf in command.settings.leaves():
        _add_option(parser, leaf)


def _add_option(parser: _Parser, leaf: Leaf) -> None:
    value = leaf.default.human_readable() if isinstance(leaf.default, ByteSize) else leaf.default
    default = "" if value in (None, "", ()) else f" Default: {value}."
    text = textwrap.fill(f"{leaf.description}{default} [{leaf.variable}]", 76).replace("%", "%%")
    destination = "/".join(leaf.path)
    if leaf.kind is bool:
        parser.add_argument(leaf.option, dest=destination, action=argparse.BooleanOptionalAction, help=text)
        return
    is_choice = typing.get_origin(leaf.kind) is Literal
    metavar = "|".join(typing.get_args(leaf.kind)) if is_choice else leaf.path[-1].rpartition("_")[2].upper()
    action = "append" if leaf.many else "store"
    parser.add_argument(leaf.option, dest=destination, action=action, metavar=metavar, help=text)


def _options(command: Command[typing.Any], chosen: argparse.Namespace) -> Raw:
    options: Raw = {}
    for leaf in command.settings.leaves():
        value = getattr(chosen, "/".join(leaf.path))
        if value is not None:
            place(options, leaf, value)
    return options


def _check_command(words: Sequence[str], commands: Sequence[Command[typing.Any]]) -> None:
    names = [command.name for command in commands]
    if not words:
        raise ServiceSettingsError(f"name a command: {', '.join(names)}")
    if words[0] in {*names, "-h", "--help"}:
        return
    if words[0].startswith("-"):
        raise ServiceSettingsError(f"{words[0]}: options stand after the command: {', '.join(names)}")
    raise ServiceSettingsError(f'unknown command "{words[0]}"; there are: {", ".join(names)}')


def _unknown(argument: str, chosen: argparse.Namespace) -> str:
    option = argument.partition("=")[0]
    known = [leaf.option for leaf in chosen.command.settings.leaves()]
    close = difflib.get_close_matches(option, known, n=1)
    return f"unknown option {option}" + (f"; did you mean {close[0]}" if close else "")


def _fail(line: str, code: int) -> int:
    print(line, file=sys.stderr)
    return code


class TokenSettings(CommandSettings):
    """Options of ``token``."""

    service: ClassVar[str] = "token"

    name: str = Field("", description="Name of the caller that the token is for, in logs and quotas.")


def token_command() -> Command[TokenSettings]:
    """Return the subcommand."""
    return Command(
        "token",
        "Make a token for a caller, and print it once beside its entry of the access file.",
        TokenSettings,
        _print_token,
        ("token --name lab",),
    )


def _print_token(settings: TokenSettings) -> int:
    if not is_caller_name(settings.name):
        raise ServiceSettingsError("--name: give a name of up to 64 letters, digits and . _ @ -")
    token = new_token()
    print("# The token. Give it to the caller; it is stored nowhere and cannot be shown again.")
    print(token)
    print("# For the file of --access-file:")
    print(f'[callers."{settings.name}"]')
    print(f'tokens = ["{token_line(token)}"]')
    return 0
