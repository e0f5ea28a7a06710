"""OmniDocBench: a page of a document, answered with Markdown, is compared block by block with annotations."""
