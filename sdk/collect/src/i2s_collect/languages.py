"""The natural language of the text of a page, by the model of py3langid; nothing leaves the machine."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from i2s_sdk.errors import UsageError
from i2s_wire.installation import install_command

PACKAGE = "py3langid"
#: Code of texts whose language cannot be determined.
UNDETERMINED = "und"
#: A text with fewer letters is undetermined.
MIN_LETTERS = 40
#: A text whose most probable language is less probable is undetermined.
MIN_PROBABILITY = 0.8
#: The most characters that are read, from the beginning.
MAX_CHARACTERS = 20_000


class LanguageIdentifier:
    """Names the language of texts.

    Raises:
        UsageError: The extra ``collect`` is not installed.
    """

    def __init__(self) -> None:
        try:
            from py3langid import langid  # type: ignore[import-untyped]
        except ImportError:
            raise UsageError(
                f"collecting needs the extra `collect`: {install_command('i2s-sdk[collect]')}"
            ) from None
        self.version = f"{PACKAGE} {version(PACKAGE)}"
        self._model: Any = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)

    @property
    def known(self) -> frozenset[str]:
        """Codes of all languages that can be named."""
        return frozenset(self._model.labels)

    def identify(self, text: str) -> tuple[str, float]:
        """Return the language of a text and how probable it is.

        Args:
            text: Text that readers see.

        Returns:
            Code of ISO 639-1, or "und" for a text that is too short or of no clear language; probability from
            0 to 1, as the model has it.
        """
        read = text[:MAX_CHARACTERS]
        if sum(one.isalpha() for one in read) < MIN_LETTERS:
            return UNDETERMINED, 0.0
        language, probability = self._model.classify(read)
        if probability < MIN_PROBABILITY:
            return UNDETERMINED, float(probability)
        return str(language), float(probability)
