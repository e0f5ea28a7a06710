"""Design2Code: web pages of one HTML file, compared by their blocks of text."""
