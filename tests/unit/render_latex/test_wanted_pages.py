"""Which pages of a document are returned."""

import pytest

from i2s_render_latex.model import Options


@pytest.mark.parametrize(
    ("options", "total", "pages"),
    [
        (Options(), 3, [1]),
        (Options(first_page=2, page_count=5), 3, [2, 3]),
        (Options(first_page=4), 3, []),
        (Options(last_page=True), 3, [3]),
        (Options(last_page=True, first_page=7, page_count=2), 1, [1]),
    ],
)
def test_pages_are_those_that_are_asked_for(options, total, pages):
    assert list(options.wanted_pages(total)) == pages
