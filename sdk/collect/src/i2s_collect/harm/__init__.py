"""Content that may hurt readers or people: insults in texts, images, data of persons; and withdrawals."""
