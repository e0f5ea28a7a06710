"""Caches of an evaluation: what renderers and the metric service answered, for every later run.

::

    FOLDER/renders/ab/abcdef…      answers of renderers, named by SHA-256 of everything that decides them
    FOLDER/scores/ab/abcdef…       values of metrics, one file for each metric of a pair

``entries`` keeps bytes by name in a folder, ``objects`` in an object store; ``renders`` and ``scores`` decide
what is kept and by which name; ``opening`` opens both as the settings say.
"""
