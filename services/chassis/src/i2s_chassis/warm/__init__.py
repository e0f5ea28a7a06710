"""Engines that are started once in a cell and fork for each job."""
