"""The fonts that pages are drawn with: locked by their content, the same wherever they are installed.

Whatever else is installed has no part: browsers get a configuration of fontconfig that names the locked
files alone.
"""

from i2s_render_html.fonts.installed import DEFAULT_FOLDER, Fonts, find_fonts

__all__ = ["DEFAULT_FOLDER", "Fonts", "find_fonts"]
