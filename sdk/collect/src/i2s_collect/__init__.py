"""Collects new instances from public sources: with date, licence, provenance, and every refusal counted."""
