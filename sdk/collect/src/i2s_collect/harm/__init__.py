"""What may hurt readers or people: insults in texts, images, data of persons, and what was withdrawn."""
