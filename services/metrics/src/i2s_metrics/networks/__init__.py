"""The neural networks: where their weights come from, and the process that runs them.

Without torch: ``files`` (which weights there are, and where), ``weights_file`` and ``arrays``, ``inbox``
and ``messages`` (requests of many calls become batches), ``networks`` and ``client`` (the service's end),
``host`` (the process).
With torch, imported by the process alone and late: ``devices``, ``torchvision_operators``, ``features``,
``vgg``, ``inception``, ``runner``, ``canary``, ``loading``; and by a command, ``fetching``.
"""
