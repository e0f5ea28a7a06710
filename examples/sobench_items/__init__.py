"""The items of examples/sobench: what each shows, asks for and has as its answer; Pillow draws them."""
