"""The HTTP gateway: the services for clients that speak HTTP and JSON.

``operations`` lists what can be asked for, ``messages`` translates JSON, ``backends`` calls the services,
``guard`` and ``bodies`` refuse requests, ``answers``, ``entry`` and ``app`` answer them, ``openapi`` and
``page`` describe all of it, and ``protocol`` and ``serve`` listen.

Rewards: ``reward_items`` reads batches, ``references`` keeps uploads of ``callers``, ``fair_slots`` has them
served in turn, ``reward_scorers`` opens the scorers of tasks, ``rewards`` answers.
"""
