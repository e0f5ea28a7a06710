"""What profile ``helm`` shows if a site has no index page: the page of the server that was not found it.

The reference implementation served the folder with Jekyll's own server and took a picture of whatever came;
its page for a missing file is a picture like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from i2s_sdk.tasks.repair import Repair, Repaired, RepairKind
from i2s_sdk.tasks.webpage.site import Site
from i2s_wire.render.rendering import Rendering, Verdict

#: The page of the server; its last line has versions and a port that were never recorded.
PAGE = b"""<html><head><title>Not Found</title></head>
<body><h1>Not Found</h1>
`/' not found.
<hr><address>WEBrick at localhost</address>
</body></html>
"""


def repair(site: Site, rendering: Rendering, past: Sequence[Repair]) -> Repaired[Site] | None:
    """Return the site with that page as its index, or None if it has a page or was given this one."""
    if rendering.verdict is not Verdict.NO_OUTPUT or past:
        return None
    shown = replace(site, files={**site.files, "index.html": PAGE})
    return Repaired(shown, Repair(RepairKind.NOT_FOUND_PAGE, "index.html", rendering.message))
