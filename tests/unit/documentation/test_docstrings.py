"""Docstrings become Markdown for the Python reference."""

import griffe

from documentation_docstrings import MarkdownDocstrings, as_markdown

FIELDS = '''
class Options:
    """Options."""

    most: int = 1  #: the most ``calls``
    #: Seconds of all calls,
    #: pauses among them.
    seconds: float = 2.0
    plain: str = "#: no comment"
    own: int = 3
    """Its own docstring."""
'''


def test_comments_of_fields_become_their_docstrings():
    extensions = griffe.load_extensions(MarkdownDocstrings())
    with griffe.temporary_visited_module(FIELDS, extensions=extensions) as module:
        fields = module["Options"].attributes
    texts = {name: field.docstring and field.docstring.value for name, field in fields.items()}
    assert texts == {
        "most": "The most ``calls``",
        "seconds": "Seconds of all calls, pauses among them.",
        "plain": None,
        "own": "Its own docstring.",
    }


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
