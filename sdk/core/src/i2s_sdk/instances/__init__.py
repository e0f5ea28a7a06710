"""Items of data sets: what is known of them, and the images and sites that they are made of."""
