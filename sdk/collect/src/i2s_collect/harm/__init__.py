"""What may hurt readers or people: insults in texts, pictures, data of persons, and what was withdrawn."""
