"""The neural networks: where their weights come from, and the process that runs them.

Without torch: ``files`` (which weights there are, and where), ``weights_file`` and ``arrays``, ``messages``
(what the service and the process say to each other), ``networks`` (the service's end), and ``host`` (the
process, where requests of many calls become batches).
With torch, imported by the process alone and late: ``feature_networks``, ``runner``, ``loading``.
"""
