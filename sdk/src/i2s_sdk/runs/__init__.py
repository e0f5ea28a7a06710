"""Runs: from a data set and a model to records and numbers.

::

    evaluate, stages, dry_run     what a caller asks for
    wanted, plan, manifest, planned       what a run is
    execution                     services for what remains, stages for the services
    pipeline                      samples through stages, with back-pressure
    generating ─▶ rendering ─▶ scoring     the stages; sample, answer, rendered, record are what they pass on
    folder, ledger, journal       what is on disk
    conclude, results, aggregate, spending     the end: numbers and report
"""
