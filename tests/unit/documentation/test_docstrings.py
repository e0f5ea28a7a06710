"""Docstrings become Markdown for the Python reference."""

from documentation_docstrings import as_markdown


def test_an_example_becomes_a_block_of_code_without_marks_of_tests():
    docstring = """Evaluate.

    >>> evaluate(out="run")  # doctest: +SKIP
    ... # more

    Args:
        out: Folder.
    """
    assert (
        as_markdown(docstring)
        == """Evaluate.

```pycon
>>> evaluate(out="run")
... # more
```

    Args:
        out: Folder.
    """
    )


def test_roles_become_code():
    assert as_markdown("See :mod:`i2s_sdk.errors` and :class:`~a.B`.") == "See `i2s_sdk.errors` and `a.B`."


def test_the_mark_of_a_literal_block_is_left_out():
    assert as_markdown("The tree.\n\n::\n\n    a\n    b\n") == "The tree.\n\n    a\n    b\n"


def test_a_plain_docstring_stays():
    text = "One line.\n\nArgs:\n    a: Ratio a::b of two."
    assert as_markdown(text) == text
