"""The HTTP gateway: the services for clients that speak HTTP and JSON.

``operations`` lists what can be asked for and calls the services, ``messages`` translates JSON, ``guard``
refuses requests, ``answers`` and ``app`` answer them, ``openapi`` describes all of it, ``measurements``
counts, ``serve`` listens, and ``gateway`` puts all of it together.

Rewards: ``reward_items`` reads batches, ``references`` keeps uploads of ``callers``, ``fair_slots`` has them
served in turn, ``reward_scorers`` opens the scorers of tasks, ``rewards`` answers.
"""
