"""The evaluation of models on a data set, or one of its stages.

::

    evaluate, stages, merge, export, dry_run, judge     what a caller asks for
    plan                                                what a run will do
    runner, steps                                       services for what remains, and the stages over them
    pipeline                                            samples through stages, a bounded number in each
    generate ─▶ render ─▶ score                         the stages; a sample is what they pass on
    finalize                                            the end: numbers and report
    caches, cached_results, reference_points            what evaluations share

What is on disk is in ``storage``, which is a lower layer; the numbers are in ``stats``.
"""
