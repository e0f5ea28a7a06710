"""Scorers: what computes values of samples here, rather than in the metric service."""
