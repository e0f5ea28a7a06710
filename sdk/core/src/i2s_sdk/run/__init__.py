"""The evaluation of a model on a data set, or one of its stages.

::

    evaluate, stages, merge, export, dry_run     what a caller asks for
    selection_args, plan                         what a run will do
    runner                                       services for what remains, and the stages over them
    pipeline                                     samples through stages, a bounded number in each
    generate ─▶ render ─▶ score                  the stages; a sample is what they pass on
    finalize                                     the end: numbers and report

What is on disk is in ``runlog``, the numbers are in ``stats``.
"""
