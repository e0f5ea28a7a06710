"""The pages of examples/omnidocbench as data."""
