"""The table of names that are put back, with the libraries themselves."""

import subprocess
import sys

import pytest

from i2s_render_python.inside.restored_names.table import CHANGES

#: A program that runs in a process of its own, since it changes the libraries.
PROGRAM = """
import warnings; warnings.simplefilter("ignore")
import matplotlib; matplotlib.use("agg")
from i2s_render_python.inside.restored_names.changes import attribute
from i2s_render_python.inside.restored_names.table import CHANGES, restore

# There, and raises an error when it is called.
names = [name for name in CHANGES if name[-1] != ")" and " " not in name and not name.endswith("interp2d")]

def there(name):
    place, _, last = name.rpartition(".")
    try:
        getattr(attribute(place), last)
    except (AttributeError, ImportError):
        return False
    return True

print("too early:", [name for name in names if there(name)])
restore(CHANGES)
print("still missing:", [name for name in names if not there(name)])
"""


@pytest.mark.slow
def test_each_name_is_missing_before_it_is_put_back_and_there_afterwards():
    said = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    assert said == "too early: []\nstill missing: []\n"


def test_the_table_is_read_without_a_library():
    program = (
        "import sys; import i2s_render_python.inside.restored_names.table; "
        "print([one for one in ('numpy', 'matplotlib', 'pandas') if one in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said == "[]\n"


def test_names_have_different_ends_so_that_errors_tell_them_apart():
    ends = [name.split(".")[-1] if name.endswith(")") else ".".join(name.split(".")[-2:]) for name in CHANGES]
    assert len(set(ends)) == len(ends)
