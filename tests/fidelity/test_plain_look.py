r"""The preamble of profile ``paper`` shows a plain document exactly as the packages of the references do.

Two plain pdflatex runs, one behind each preamble, must give the same pixels: what ``paper`` loads beyond
the list that the references were made with may add commands, never change a look.
"""

import subprocess

import pytest
from PIL import Image, ImageChops

from i2s_sdk.tasks.latex.document import preamble
from i2s_wire.metrics.profile import Profile

pytestmark = [pytest.mark.fidelity, pytest.mark.integration]

PLAIN = {
    "maths": r"""
      \begin{align*} a &= b + \binom{n}{k} \\ d &= \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}
      \begin{cases} 1 & x \\ 2 & y \end{cases} \underbrace{x + y}_{z} \overbrace{x}^{z} \end{align*}
      \[ \sum_{i=1}^n \sin(\tfrac{a}{b}) \log\left(\frac{a}{b}\right) \exp(-x^2) \Re z \Im z \div
      \det A \Pr(x) \quad \lim_{x \to 0} \max_x \tan^2\theta \arcsin x \cosh y \lvert x \rvert \cdot \]
      \[ \left[ \begin{array}{cc|c} 1 & 2 & 3 \\ \hline 4 & 5 & 6 \end{array} \right]
      \mathbb{R} \vec{x} \hat{y} \]""",
    "matrices": r"""
      \begin{align*} \det \begin{vmatrix} a_{11} & \cdots & a_{1n} \\ \vdots & \ddots & \vdots \\
      a_{n1} & \dots & a_{nn} \end{vmatrix} &= \left\{ \begin{array}{l|r@{\;}c}
      x \quad & \frac{a}{b} & \ldots \\ \hline z \cdots & \multicolumn{2}{c|}{\cdots} \\[5pt]
      f' & & \text{if } \end{array} \right. \end{align*}
      \begin{eqnarray*} a &=& \cdots \\ b &\le& c \end{eqnarray*}""",
    "ruled table": r"""\begin{table}[h] \centering \begin{tabular}{||l||r|c||p{2cm}|} \hline\hline
      a & b & \multicolumn{2}{|c||}{x} \\ \hline\hline 1 & 2 & 3 & x \\ \cline{1-2} x & y & z & w \\ \hline
      \end{tabular} \caption{A caption that does not fit on one line of the page, since it has so many
      words that it has to be broken somewhere.} \end{table}""",
    "table below its caption": r"""\begin{table} \caption{Short} \centering \begin{threeparttable}
      \begin{tabular}{@{}lr@{}} \hline a & b\tnote{1} \\ \hline 1 & 2 \\ \hline \end{tabular}
      \begin{tablenotes} \item[1] note \end{tablenotes} \end{threeparttable} \end{table}
      \begin{adjustbox}{width=5cm} \begin{tabular}{|c|c|} \hline a & b \\ \hline \end{tabular}
      \end{adjustbox}""",
    "algorithm": r"""\begin{algorithm} \caption{Euclid} \begin{algorithmic}[1] \Require $a, b$
      \Procedure{Euclid}{$a, b$} \While{$r \neq 0$} \State $r \gets a \bmod b$ \Comment{rest} \If{x} \State y
      \Else \State z \EndIf \EndWhile \State \Return $b$ \EndProcedure \end{algorithmic} \end{algorithm}""",
    "drawing": r"""\begin{tikzpicture}[state/.style={draw, circle}, node distance=2cm]
      \draw[->] (0,0) -- (3,0); \draw[->, >=stealth] (0,0) -- (0,2);
      \draw[thick, blue, -latex] (0,0) parabola (2.5,1.8);
      \node[state] (a) at (1,1) {$x$}; \node[right of=a, rounded corners, draw] (b) {B};
      \draw[|-|] (a) -- (b) node[midway, above, red] {t}; \draw[<->, dashed] (a) to[bend left] (b);
      \fill[green!30] (3,3) rectangle (4,4); \end{tikzpicture}
      \begin{tikzcd} A \arrow[r, "f"] \arrow[d] & B \\ C \arrow[r, hook] & D \end{tikzcd}""",
    "plot": r"""\begin{tikzpicture}
      \begin{axis}[xlabel=$x$, ylabel={$y$}, legend pos=north west, grid=major]
      \addplot[blue, mark=*] coordinates {(0,0) (1,2) (2,3)}; \addlegendentry{one}
      \addplot[domain=0:2, red] {x^2}; \addlegendentry{two} \end{axis} \end{tikzpicture}
      \begin{tikzpicture} \begin{axis}[ybar, symbolic x coords={a, b}, xtick=data, nodes near coords]
      \addplot coordinates {(a,1) (b,2)}; \addplot coordinates {(a,2) (b,1)}; \end{axis} \end{tikzpicture}""",
    "text": r"""\section{One} Text\footnote{foot} \textbf{bold} \emph{it} \verb|x_y| \ref{x} \cite{y}
      \begin{itemize} \item a \item b \begin{enumerate} \item c \item[(x)] d \end{enumerate} \end{itemize}
      \begin{description} \item[x] y \end{description} \newtheorem{theorem}{Theorem}
      \begin{theorem}[N] hi $x$ \end{theorem} \begin{quote} q \end{quote} \begin{figure}[h] \centering
      \rule{3cm}{2cm} \caption{Fig} \end{figure} \begin{lstlisting}[language=Python]
def f(x):
    return x + 1
\end{lstlisting}""",
}


def page(profile, body, folder):
    """Return the first page, typeset by plain pdflatex."""
    folder.mkdir()
    (folder / "page.tex").write_text(f"{preamble(profile)}\\begin{{document}}\n{body}\n\\end{{document}}\n")
    for _ in range(2):
        command = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "-no-shell-escape", "page.tex"]
        ended = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        assert ended.returncode == 0, (folder / "page.log").read_text(errors="replace")[-2000:]
    raster = ["pdftoppm", "-r", "200", "-f", "1", "-l", "1", "-singlefile", "-png", "page.pdf", "page"]
    subprocess.run(raster, cwd=folder, check=True)
    with Image.open(folder / "page.png") as picture:
        return picture.convert("RGB")


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_document_looks_the_same_behind_both_preambles(name, tmp_path):
    plain = page(Profile.HELM, PLAIN[name], tmp_path / "helm")
    shown = page(Profile.PAPER, PLAIN[name], tmp_path / "paper")
    assert plain.size == shown.size
    assert ImageChops.difference(plain, shown).getbbox() is None
