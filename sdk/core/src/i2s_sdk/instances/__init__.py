"""Items of data sets: what is known of them, and the pictures and sites that they are made of."""
