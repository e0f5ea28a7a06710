"""The settings of the SDK: flag > environment > file > default, read once."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from i2s_client.credentials import Token, read_token
from i2s_sdk.errors import SettingsError
from i2s_sdk.settings_sources import (
    ADDRESS,
    ADDRESSES,
    SECRETS,
    ValueSource,
    flag_of,
    names_of,
    no_such,
    refuse_secret,
    require_addresses,
    values_of_environment,
    values_of_file,
)
from i2s_wire.bounds import PICTURE_PIXELS
from i2s_wire.metrics.profile import Profile

#: The longest completion that is read; a longer one is not usable.
COMPLETION_CHARACTERS = 1_000_000


_NOT_NEGATIVE = (
    "jobs",
    "waiting",
    "like_failures",
    "free_bytes",
    "render_cache_bytes",
    "score_cache_bytes",
    "lock_seconds",
)
_AT_LEAST_1 = (
    "store_lines",
    "reference_pixels",
    "completion_characters",
    "scorer_memory_bytes",
    "pdftotext_memory_bytes",
)
_LEAST = {**dict.fromkeys(_NOT_NEGATIVE, 0), **dict.fromkeys(_AT_LEAST_1, 1)}


def _about(text: str) -> dict[str, str]:
    return {"about": text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What holds for everything that the SDK does.

    Each field is ``--set FIELD=VALUE`` or has a flag, is I2S_<FIELD>, and is a key of the configuration file.
    """

    #: Address of a running LaTeX renderer; None starts one here.
    render_latex: str | None = field(
        default=None, metadata=_about("address (host:port) of a running LaTeX renderer; else one is started")
    )
    #: Address of a running renderer of web sites; None starts one here.
    render_html: str | None = field(
        default=None, metadata=_about("address (host:port) of a running site renderer; else one is started")
    )
    #: Address of a running LilyPond renderer; None starts one here.
    render_lilypond: str | None = field(
        default=None, metadata=_about("address (host:port) of a LilyPond renderer; else one is started")
    )
    #: Address of a running Python renderer; None starts one here.
    render_python: str | None = field(
        default=None, metadata=_about("address (host:port) of a Python renderer; else one is started")
    )
    #: Address of a running metric service; None starts one here.
    metrics: str | None = field(
        default=None, metadata=_about("address (host:port) of a running metric service; else one is started")
    )
    #: Address of a running documents service; None starts one here.
    documents: str | None = field(
        default=None, metadata=_about("address (host:port) of a documents service; else one is started")
    )
    #: Addresses of running renderers of other packages: NAME=host:port, with commas between. They are given
    #: ``token``, since they have no token of their own.
    other_renderers: str = field(
        default="",
        metadata=_about("addresses of renderers of other packages: NAME=host:port, with commas between"),
    )
    #: Certificates (PEM) that services named by address are checked against; None speaks without TLS.
    #: Services started here listen on the loopback and need none.
    tls_ca: Path | None = field(
        default=None, metadata=_about("certificates (PEM) that named services are checked against")
    )
    #: Our certificate chain (PEM), for services that ask for one.
    tls_cert: Path | None = field(default=None, metadata=_about("our certificate (PEM), where asked for"))
    #: Its private key (PEM).
    tls_key: Path | None = field(default=None, metadata=_about("private key (PEM) of our certificate"))
    #: Our bearer token for services named by address; sent over TLS or on the loopback only. From the
    #: environment alone (I2S_TOKEN).
    token: Token | None = field(
        default=None, metadata=_about("our token for services; from I2S_TOKEN alone, never from here")
    )
    #: Another one for this service; likewise the next four.
    token_render_latex: Token | None = field(
        default=None, metadata=_about("the same for this service; from I2S_TOKEN_RENDER_LATEX alone")
    )
    #: See token_render_latex.
    token_render_html: Token | None = field(
        default=None, metadata=_about("the same for this service; from I2S_TOKEN_RENDER_HTML alone")
    )
    #: See token_render_latex.
    token_render_lilypond: Token | None = field(
        default=None, metadata=_about("the same for this service; from I2S_TOKEN_RENDER_LILYPOND alone")
    )
    #: See token_render_latex.
    token_render_python: Token | None = field(
        default=None, metadata=_about("the same for this service; from I2S_TOKEN_RENDER_PYTHON alone")
    )
    #: See token_render_latex.
    token_metrics: Token | None = field(
        default=None, metadata=_about("the same for this service; from I2S_TOKEN_METRICS alone")
    )
    #: See token_render_latex.
    token_documents: Token | None = field(
        default=None, metadata=_about("the same for this service; from I2S_TOKEN_DOCUMENTS alone")
    )
    #: File with our token, in the place of I2S_TOKEN.
    token_file: Path | None = field(default=None, metadata=_about("file with our token for services"))
    #: Another one for this service; likewise the next four.
    token_file_render_latex: Path | None = field(
        default=None, metadata=_about("file with our token for this service")
    )
    #: See token_file_render_latex.
    token_file_render_html: Path | None = field(
        default=None, metadata=_about("file with our token for this service")
    )
    #: See token_file_render_latex.
    token_file_render_lilypond: Path | None = field(
        default=None, metadata=_about("file with our token for this service")
    )
    #: See token_file_render_latex.
    token_file_render_python: Path | None = field(
        default=None, metadata=_about("file with our token for this service")
    )
    #: See token_file_render_latex.
    token_file_metrics: Path | None = field(
        default=None, metadata=_about("file with our token for this service")
    )
    #: See token_file_render_latex.
    token_file_documents: Path | None = field(
        default=None, metadata=_about("file with our token for this service")
    )
    #: Profile whose rules are followed.
    profile: Profile = field(
        default=Profile.PAPER, metadata=_about("rules: paper, or helm, also called reference")
    )
    prompts: Path | None = field(
        default=None, metadata=_about("file with prompts in place of those of the tasks (TOML)")
    )
    #: Folder of the bundled examples; None looks for it.
    examples: Path | None = field(default=None, metadata=_about("folder of the bundled examples"))
    #: Samples in each of the stages "render" and "score"; 0 is twice the slots of their service.
    jobs: int = field(default=0, metadata=_about("samples in a stage; 0: twice the slots of its service"))
    #: Samples that may wait before each of these stages; 0 is as many as are in it.
    waiting: int = field(default=0, metadata=_about("samples that may wait before a stage; 0: as many"))
    #: Seconds for one attempt of a call.
    deadline: float = field(default=120.0, metadata=_about("seconds for one attempt of a call"))
    #: Seconds for all attempts of a call.
    retry_seconds: float = field(default=300.0, metadata=_about("seconds for all attempts of a call"))
    #: Seconds that a service may take until it serves.
    start_seconds: float = field(default=600.0, metadata=_about("seconds until a service must serve"))
    #: Lines of a run in an object store that may wait until they are written together.
    store_lines: int = field(default=200, metadata=_about("lines for an object store that may wait"))
    #: Seconds that they may wait. What waits is lost with the process, and done again.
    store_seconds: float = field(default=10.0, metadata=_about("seconds that they may wait"))
    #: Seconds after which a process that had such a run, and is silent, counts as gone.
    lease_seconds: float = field(
        default=60.0, metadata=_about("seconds until a silent owner of a run in a store counts as gone")
    )
    #: Time in seconds that a command waits for another process that works on the same run; 0 ends it at once,
    #: with exit code 4.
    lock_seconds: float = field(
        default=0.0, metadata=_about("seconds to wait for another process that works on the run; 0: none")
    )
    #: The most pixels of a reference image, width times height. The metric service has a limit of its own
    #: (``--max-image-pixels``).
    reference_pixels: int = field(
        default=PICTURE_PIXELS, metadata=_about("most pixels (width times height) of a reference picture")
    )
    #: The most characters of a completion; a longer one is not usable and counts as no structure.
    completion_characters: int = field(
        default=COMPLETION_CHARACTERS, metadata=_about("most characters of a usable completion")
    )
    #: CPU time that scoring one sample may take in a worker process; a sample that takes more is not usable.
    scorer_cpu_seconds: float = field(
        default=60.0, metadata=_about("CPU seconds that scoring one sample may take in a worker process")
    )
    #: Memory that it may take; the same.
    scorer_memory_bytes: int = field(
        default=1 << 30, metadata=_about("bytes of memory that it may take beside its modules")
    )
    #: How task ``sobench`` asks for JSON: "fenced", by the text, or "structured", by the server's mode for
    #: structured output, with the schema in the request and not in the text.
    sobench_mode: str = field(
        default="fenced", metadata=_about("how sobench asks for JSON: fenced or structured")
    )
    #: File of the system text of that task; None takes that of this project, which profile ``reference`` does
    #: not.
    sobench_system_text: Path | None = field(
        default=None, metadata=_about("file with the system text of sobench; profile reference needs it")
    )
    #: CPU time that the model ``baseline/pdftotext`` may take for one document; a document that takes more
    #: has no answer.
    pdftotext_cpu_seconds: float = field(
        default=60.0, metadata=_about("CPU seconds that baseline/pdftotext may take for one document")
    )
    #: Memory that it may take; the same.
    pdftotext_memory_bytes: int = field(default=1 << 30, metadata=_about("bytes of memory that it may take"))
    #: Pages that task ``readoc`` shows in a request: one ("each"), or up to five ("together").
    readoc_pages: str = field(default="each", metadata=_about("pages in a request: each or together"))
    #: How many calls of a model may fail alike before one is answered; then the run ends with the reason. 0
    #: asks for every sample.
    like_failures: int = field(
        default=20, metadata=_about("calls that may fail alike, none answered, until a run ends; 0: all")
    )
    reference_points: str = field(
        default="yes",
        metadata=_about("whether evaluations measure baselines and the oracle beside a model: yes or no"),
    )
    reference_points_cache: Path | None = field(
        default=None, metadata=_about("folder that keeps their values for other runs; default in the caches")
    )
    #: Whether runs take answers of a model's server that earlier runs were given, and keep their own for
    #: later ones: "no", "yes", or the folder that holds them. The name of a model does not say which weights
    #: answer.
    answer_cache: str = field(
        default="no",
        metadata=_about("whether runs take answers of earlier runs: no, yes, or a folder that keeps them"),
    )
    #: Whether evaluations keep what renderers answer, to ask for nothing twice: "yes" or "no".
    render_cache: str = field(
        default="yes", metadata=_about("whether evaluations keep what renderers answer: yes or no")
    )
    #: The same of the values of metrics of images.
    score_cache: str = field(
        default="yes", metadata=_about("whether evaluations keep values of metrics of pictures: yes or no")
    )
    #: Folder that holds both caches, or its URL; None takes the user's caches.
    evaluation_caches: str | None = field(
        default=None, metadata=_about("folder or URL of these caches; default in the user's caches")
    )
    #: Maximum size of the cache of renderers' answers in a folder; beyond it the answers are removed that
    #: were not used for longest. 0 keeps none.
    render_cache_bytes: int = field(default=4 << 30, metadata=_about("most bytes of renderers' answers"))
    #: The same of the values of metrics.
    score_cache_bytes: int = field(default=256 << 20, metadata=_about("most bytes of values of metrics"))
    #: Seconds after Ctrl-C until a command ends whatever is still at work.
    interrupt_seconds: float = field(default=4.0, metadata=_about("seconds from Ctrl-C to the end"))
    #: Bytes that a run folder must be able to take before anything is begun; they are written and removed
    #: again. 0 tries nothing.
    free_bytes: int = field(
        default=1024 * 1024, metadata=_about("bytes that a run folder must take before anything is begun")
    )
    #: How many samples may end in a failure of the infrastructure before the run counts as failed: a number,
    #: or a share such as "1%".
    fail_on_error: str = field(
        default="1%", metadata=_about("failures of the infrastructure that a run may have: number or share")
    )

    def __post_init__(self) -> None:
        for name in ADDRESSES:
            address = getattr(self, name)
            if address is not None and not ADDRESS.fullmatch(address):
                raise SettingsError(f"{names_of(name)}: {address!r} is not an address such as 127.0.0.1:7710")
        require_addresses(self.other_renderers)
        if (self.tls_cert is None) != (self.tls_key is None):
            raise SettingsError(
                f"{names_of('tls_cert')} and {names_of('tls_key')} belong together; give both or none"
            )
        if self.tls_cert is not None and self.tls_ca is None:
            raise SettingsError(
                f"{names_of('tls_cert')} needs {names_of('tls_ca')}: without it there is no TLS"
            )
        for name in (
            "deadline",
            "retry_seconds",
            "start_seconds",
            "store_seconds",
            "lease_seconds",
            "interrupt_seconds",
            "scorer_cpu_seconds",
            "pdftotext_cpu_seconds",
        ):
            if not 0 < getattr(self, name) < float("inf"):
                raise SettingsError(
                    f"{names_of(name)}: {getattr(self, name)} is not a number of seconds above 0"
                )
        for name, least in _LEAST.items():
            if not least <= getattr(self, name) < float("inf"):
                raise SettingsError(f"{names_of(name)}: {getattr(self, name)} is below {least} or not finite")
        for name in ("reference_points", "render_cache", "score_cache"):
            if getattr(self, name) not in ("yes", "no"):
                raise SettingsError(f"{names_of(name)}: {getattr(self, name)!r} is neither yes nor no")
        if not re.fullmatch(r"\d+|\d+(\.\d+)?%", self.fail_on_error):
            raise SettingsError(
                f"{names_of('fail_on_error')}: {self.fail_on_error!r} is not a number or a share such as 1%"
            )

    def token_for(self, service: str) -> Token | None:
        """Return our token for a service: its own, else that of all; a variable precedes a file.

        Args:
            service: Name, such as "render-latex".

        Raises:
            SettingsError: Its file cannot be read or holds none.
        """
        name = service.replace("-", "_")
        for suffix in (f"_{name}", ""):
            token: Token | None = getattr(self, f"token{suffix}", None)
            file: Path | None = getattr(self, f"token_file{suffix}", None)
            if token is not None or file is not None:
                return token if token is not None or file is None else read_token(file)
        return None

    def other_renderer(self, name: str) -> str | None:
        """Return the address of a renderer of another package; None if there is none."""
        pairs = (one.partition("=") for one in self.other_renderers.split(","))
        return next((address.strip() for key, _, address in pairs if key.strip() == name), None)

    def failures_allowed(self, samples: int) -> float:
        """Return how many of ``samples`` may end in a failure of the infrastructure."""
        if self.fail_on_error.endswith("%"):
            return samples * float(self.fail_on_error[:-1]) / 100.0
        return float(self.fail_on_error)

    @classmethod
    def load(
        cls,
        flags: Mapping[str, object | None] | None = None,
        *,
        config: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Settings:
        """Return the settings of this process.

        Args:
            flags: Values by field, strongest; None is "not given".
            config: The file; None takes I2S_CONFIG, else i2s.toml of the working folder if there is one.
            environ: The environment of the process.

        Raises:
            SettingsError: A value has no meaning, there is no such setting, or the file cannot be read; names
                flag, variable or line.
        """
        environ = os.environ if environ is None else environ
        known = {one.name for one in fields(cls)}
        values: dict[str, Any] = {}
        for source, raw in (*values_of_file(config, environ, known), *values_of_environment(environ, known)):
            values[source.name] = _convert(source, raw)
        for name, value in (flags or {}).items():
            if name not in known:
                raise SettingsError(f"--set {name}: {no_such(name, known)}")
            refuse_secret(name, f"--set {name}")
            if value is not None:
                values[name] = _convert(ValueSource(name, flag_of(name)), value)
        return cls(**values)


#: How a value is read, by the type of its field; all others are texts.
_READERS: Mapping[str, Callable[[Any], object]] = {
    "int": int,
    "float": float,
    "Path | None": Path,
    "Profile": Profile,
}


def _convert(source: ValueSource, raw: object) -> object:
    """Return a value as its field has it."""
    if source.name in SECRETS:
        return Token(str(raw), source.label)
    kind = next(one.type for one in fields(Settings) if one.name == source.name)
    reader = _READERS.get(str(kind), str)
    try:
        return reader(raw)
    except (ValueError, TypeError):
        wanted = {"Profile": "paper or helm", "Path | None": "a path"}.get(str(kind), "a number")
        raise SettingsError(f"{source.label}: {raw!r} is not {wanted}") from None
