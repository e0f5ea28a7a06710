"""The last step of every image: it removes what the programs do not need, and writes a bill of materials.

Runs during a build with the Python of Debian and nothing else, as root, and changes the root file system.
"""
