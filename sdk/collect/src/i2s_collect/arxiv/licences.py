"""The licences of arXiv, by the URI that a record names.

Source: https://info.arxiv.org/help/license/index.html
"""

from __future__ import annotations

from i2s_collect.candidates import Licence

# SPDX identifier or own name, and whether it is redistributable, by URI without its scheme and last slash.
_LICENCES = {
    "creativecommons.org/licenses/by/4.0": ("CC-BY-4.0", True),
    "creativecommons.org/licenses/by-sa/4.0": ("CC-BY-SA-4.0", True),
    "creativecommons.org/licenses/by-nc-sa/4.0": ("CC-BY-NC-SA-4.0", False),
    "creativecommons.org/licenses/by-nc-nd/4.0": ("CC-BY-NC-ND-4.0", False),
    "creativecommons.org/publicdomain/zero/1.0": ("CC0-1.0", True),
    "creativecommons.org/licenses/by/3.0": ("CC-BY-3.0", True),
    "creativecommons.org/licenses/by-nc-sa/3.0": ("CC-BY-NC-SA-3.0", False),
    "creativecommons.org/licenses/publicdomain": ("CC-PDDC", True),
    "arxiv.org/licenses/nonexclusive-distrib/1.0": ("arXiv-nonexclusive-distrib-1.0", False),
    "arxiv.org/licenses/assumed-1991-2003": ("arXiv-assumed-1991-2003", False),
}


def licence_of(uri: str) -> Licence:
    """Return the licence that a URI names; one that is not known permits nothing."""
    plain = uri.strip()
    key = plain.partition("://")[2].rstrip("/").lower()
    name, redistributable = _LICENCES.get(key, ("", False))
    return Licence(name, plain[:300], redistributable)
