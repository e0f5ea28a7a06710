"""The fonts that pages are drawn with.

By default these are the fonts of a lock: the same contents wherever they are installed. Whatever else is
installed has no part then: browsers get a configuration of fontconfig that names the locked files alone. The
alternative are the fonts of the machine.
"""

from i2s_render_html.fonts.system import (
    DEFAULT_FOLDER,
    Fonts,
    FontSource,
    SystemFonts,
    find_fonts,
    find_system_fonts,
)

__all__ = ["DEFAULT_FOLDER", "FontSource", "Fonts", "SystemFonts", "find_fonts", "find_system_fonts"]
