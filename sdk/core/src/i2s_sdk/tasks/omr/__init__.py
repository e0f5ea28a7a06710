"""The task OMR (optical music recognition): an image, to be answered with its score in a text format."""
