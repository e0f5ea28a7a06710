"""Fragments of Markdown and LaTeX to HTML, and pages of PDF documents to images."""
