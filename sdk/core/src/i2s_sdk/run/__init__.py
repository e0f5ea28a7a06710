"""The evaluation of models on a data set, or one of its stages.

::

    evaluate, stages, merge, export, judge     the functions that a caller calls
    plan                                       what a run will do, and the dry run of it
    runner, steps                              services for what remains, and the stages over them
    pipeline                                   samples through stages, a bounded number in each
    generate ─▶ render ─▶ score                the stages, which pass on samples
    finalize                                   the end: numbers and report
    caches, reference_points                   the results that evaluations share

What is on disk is in ``storage``, which is a lower layer; the numbers are in ``stats``.
"""
