"""The text of a page as poppler prints it."""

from i2s_render_latex.page_text import MAX_BYTES, command, read


def test_one_page_is_read():
    assert command(7) == [
        "pdftotext",
        "-f",
        "7",
        "-l",
        "7",
        "-enc",
        "UTF-8",
        "-nopgbrk",
        "-q",
        "document.pdf",
        "-",
    ]


def test_the_text_is_printable_and_bounded():
    assert read(b"a\n\x1b[1mb \xe4\xb8\xad\n") == "a\n␛[1mb 中"
    assert read(b"\xff\xfe") == ""
    for sign in ("a", "中", "\x01"):
        assert 0 < len(read(sign.encode() * MAX_BYTES).encode()) <= MAX_BYTES
