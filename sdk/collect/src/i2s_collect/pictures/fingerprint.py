"""What is compared of two pieces to see whether one is a duplicate of the other."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from i2s_collect.pictures.values import on_white
from i2s_sdk.errors import UsageError
from i2s_sdk.json_text import read_json
from i2s_wire.installation import install_command

if TYPE_CHECKING:
    from PIL import Image

#: Bits of a difference hash in each direction: 256 in all.
HASH_SIDE = 16

#: Grey levels by which a cell must be lighter than its neighbour to count as lighter. Without it, noise of
#: compression in empty parts of a page decides most bits.
HASH_MARGIN = 3

#: Pixels of the grey thumbnail in each direction: 1,024 bytes.
THUMBNAIL_SIDE = 32

#: Permutations of MinHash. The standard error of the similarity of 0.8 is then 0.035.
PERMUTATIONS = 128

#: Decides the permutations. Fingerprints of different seeds cannot be compared.
SEED = 1

#: Consecutive tokens that make a shingle. A text of fewer tokens is not compared by its shingles.
SHINGLE = 5

#: The first tokens of a text that are looked at.
MOST_TOKENS = 50_000

_TOKEN = re.compile(r"\\[A-Za-z]+|\w+|[^\w\s]")


class FingerprintError(ValueError):
    """Text that is no fingerprint; the message says why."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What is compared of a piece.

    Attributes:
        source: SHA-256 of its normalised source, in hexadecimal.
        picture: SHA-256 of the pixels and the size of its picture, in hexadecimal.
        width: Width of the picture in pixels.
        height: The same.
        difference: The difference hash of the picture: HASH_SIDE² bits, as bytes.
        thumbnail: Grey values of the picture, reduced to THUMBNAIL_SIDE², row by row.
        shingles: The MinHash of the tokens: PERMUTATIONS numbers of 32 bits, as bytes in little-endian order;
            empty if there are fewer than SHINGLE tokens.
    """

    source: str
    picture: str
    width: int
    height: int
    difference: bytes
    thumbnail: bytes
    shingles: bytes

    def __post_init__(self) -> None:
        lengths = (len(self.difference), len(self.thumbnail))
        if lengths != (HASH_SIDE**2 // 8, THUMBNAIL_SIDE**2):
            raise FingerprintError(f"hash and thumbnail have {lengths} bytes")
        if len(self.shingles) not in {0, 4 * PERMUTATIONS}:
            raise FingerprintError(f"the MinHash has {len(self.shingles)} bytes, not {4 * PERMUTATIONS}")
        if self.width < 1 or self.height < 1:
            raise FingerprintError(f"the picture has {self.width} × {self.height} pixels")

    def as_text(self) -> str:
        """Return it as JSON in one line; ``from_text`` reads it."""
        stored = {
            "source": self.source,
            "picture": self.picture,
            "size": [self.width, self.height],
            "difference": self.difference.hex(),
            "thumbnail": base64.b64encode(self.thumbnail).decode(),
            "shingles": base64.b64encode(self.shingles).decode(),
        }
        return json.dumps(stored, sort_keys=True)

    @classmethod
    def from_text(cls, text: str) -> Fingerprint:
        """Return the fingerprint that a text holds.

        Raises:
            FingerprintError: It holds none.
        """
        try:
            stored: dict[str, Any] = read_json(text)
            width, height = stored["size"]
            return cls(
                str(stored["source"]),
                str(stored["picture"]),
                int(width),
                int(height),
                bytes.fromhex(stored["difference"]),
                base64.b64decode(stored["thumbnail"], validate=True),
                base64.b64decode(stored["shingles"], validate=True),
            )
        except FingerprintError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, binascii.Error):
            raise FingerprintError("the text is no fingerprint") from None


def fingerprint(image: Image.Image, source: bytes, text: str) -> Fingerprint:
    """Return what is compared of a piece. It is the same in every process and on every machine.

    Args:
        image: Its picture.
        source: Its ground truth; UTF-8 text is normalised first, anything else is taken as it is.
        text: Its source or what readers see, of which the shingles are made.

    Raises:
        UsageError: The extra ``collect`` is not installed.
    """
    colored = on_white(image)
    pixels = hashlib.sha256(f"{colored.width} {colored.height} ".encode() + colored.tobytes())
    grey = colored.convert("L")
    return Fingerprint(
        hashlib.sha256(normalized(source)).hexdigest(),
        pixels.hexdigest(),
        colored.width,
        colored.height,
        difference_hash(grey),
        _reduced(grey, THUMBNAIL_SIDE, THUMBNAIL_SIDE).tobytes(),
        minhash(text),
    )


def normalized(source: bytes) -> bytes:
    """Return a source in Unicode's form C, each run of whitespace as one space.

    Bytes that are no UTF-8 are returned as they are.
    """
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError:
        return source
    return " ".join(unicodedata.normalize("NFC", text).split()).encode()


def difference_hash(grey: Image.Image) -> bytes:
    """Return for each cell of a reduced picture whether its right neighbour is lighter, as HASH_SIDE² bits.

    Lighter means by more than HASH_MARGIN.

    Args:
        grey: A picture of mode L.
    """
    cells = _reduced(grey, HASH_SIDE + 1, HASH_SIDE)
    return np.packbits(cells[:, 1:].astype(np.int16) - cells[:, :-1] > HASH_MARGIN).tobytes()


def minhash(text: str) -> bytes:
    r"""Return the MinHash of the shingles of a text, as ``Fingerprint.shingles`` holds it.

    Tokens are commands of TeX and LilyPond (``\alpha``), words and single other characters.

    Raises:
        UsageError: The extra ``collect`` is not installed.
    """
    try:
        from datasketch import MinHash
    except ImportError:
        raise UsageError(
            f"collecting needs the extra `collect`: {install_command('i2s-sdk[collect]')}"
        ) from None
    tokens = [match.group() for match, _ in zip(_TOKEN.finditer(text), range(MOST_TOKENS), strict=False)]
    if len(tokens) < SHINGLE:
        return b""
    shingles = {
        " ".join(tokens[at : at + SHINGLE]).encode("utf-8", "surrogatepass")
        for at in range(len(tokens) - SHINGLE + 1)
    }
    signature = MinHash(num_perm=PERMUTATIONS, seed=SEED)
    signature.update_batch(sorted(shingles))
    return np.asarray(signature.hashvalues, dtype="<u4").tobytes()


def _reduced(grey: Image.Image, width: int, height: int) -> NDArray[np.uint8]:
    from PIL import Image

    return np.asarray(grey.resize((width, height), Image.Resampling.BOX), dtype=np.uint8)
