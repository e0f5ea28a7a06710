"""ShapeCodeBench: images of black shapes on white, to be answered with the program that draws them."""
