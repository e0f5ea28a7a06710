"""Pairs of LaTeX that look alike in every pixel, and are spelt differently."""

from __future__ import annotations

#: Each two are whole answers in the task latex.
PAIRS = (
    (r"\begin{equation*} x \to y \end{equation*}", r"\begin{equation*}x\rightarrow y\end{equation*}"),
    (r"$$a \le b \ne c$$", r"\[a\leq b\neq c\]"),
    (r"\begin{equation*}x^{2}+y_{i}\end{equation*}", r"$$x^2 + y_i$$"),
    (r"\begin{displaymath}\frac12 + \frac{a}{b}\end{displaymath}", r"\[\frac{1}{2} + \frac ab\]"),
    (r"\[x^{2}_{i}\]", r"\[x_i^2\]"),
    (r"\[\sum_{i=1}^{n} {{a}_{i}}\]", "\\[\n  \\sum_{i=1}^n {a_i} % all of them\n\\]"),
    (r"\[p \land q \lor \lnot r\]", r"\[p\wedge q\vee\neg r\]"),
    (r"\[\lbrace x \rbrace\]", r"\[\{x\}\]"),
    (r"text \(a+b\)", r"text $a + b$"),
    (r"\[\mathbf{x}\]", r"\[\mathbf x\]"),
)
