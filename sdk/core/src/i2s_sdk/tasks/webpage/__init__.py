"""Web pages: from a completion to the files of a site, repairs, and the text of the page."""

from i2s_sdk.tasks.webpage.site import Site, SiteStructure
from i2s_sdk.tasks.webpage.task import WebpageTask

__all__ = ["Site", "SiteStructure", "WebpageTask"]
