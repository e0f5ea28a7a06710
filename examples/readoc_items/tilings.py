"""A one-column article with recurrences, of easy layout."""

from readoc_items.article import Article, Display, Heading, Items, Paragraph, Table

TILINGS = Article(
    id="coloured-tilings",
    difficulty="easy",
    title="Coloured Tilings of a Narrow Strip",
    author="Ada Ferrand",
    abstract=(
        "We count the ways to cover a strip of $n$ cells with squares and dominoes when every domino may "
        "have one of $k$ colours. The counts satisfy a linear recurrence of order two, have a short closed "
        "form, and grow with a rate that depends on the number of colours alone. We also ask how many "
        "dominoes a covering has on average."
    ),
    blocks=(
        Heading(1, "Introduction"),
        Paragraph(
            "A strip is a row of $n$ unit cells. A *covering* places squares, which take one cell, and "
            "dominoes, which take two neighbouring cells, so that no cell is left open and no cell is taken "
            "twice. Squares all look the same. A domino has one of $k \\geq 1$ colours, and coverings that "
            "differ in a colour are different coverings."
        ),
        Paragraph(
            "The case $k = 1$ is a classical exercise and leads to the numbers of Fibonacci. We keep $k$ "
            "free, because the argument does not become longer and because the growth rate is then a "
            "quantity that one can adjust. Our results are the following."
        ),
        Items(
            (
                "A recurrence for the number $a_n$ of coverings, with a proof that fits in one line.",
                "A closed form, which also gives the growth rate.",
                "The mean number of dominoes in a covering that is drawn at random.",
            )
        ),
        Heading(1, "Counting"),
        Heading(2, "The recurrence"),
        Paragraph(
            "Look at the first piece of a covering. If it is a square, what remains is a covering of $n - "
            "1$ cells. If it is a domino, it has one of $k$ colours, and what remains is a covering of $n - "
            "2$ cells. Both cases exclude each other, so that"
        ),
        Display("equation", (r"a_n = a_{n-1} + k\,a_{n-2}, \qquad a_0 = a_1 = 1.",)),
        Paragraph(
            "The first values for small numbers of colours are in Table 1. The column for two colours has "
            "the pattern of the numbers of Jacobsthal, which alternate between just below and just above "
            "two thirds of a power of two."
        ),
        Table(
            "Number of coverings of a strip of $n$ cells with dominoes of $k$ colours.",
            "rrrr",
            (
                ("$n$", "$k=1$", "$k=2$", "$k=3$"),
                ("2", "2", "3", "4"),
                ("3", "3", "5", "7"),
                ("4", "5", "11", "19"),
                ("5", "8", "21", "40"),
                ("6", "13", "43", "97"),
                ("7", "21", "85", "217"),
            ),
        ),
        Heading(2, "A closed form"),
        Paragraph(
            "A sequence $r^n$ satisfies the recurrence if $r^2 = r + k$. The two roots of this equation are "
            "real for every positive $k$, and they are different:"
        ),
        Display(
            "align",
            (
                r"\rho &= \frac{1 + \sqrt{1 + 4k}}{2}",
                r"\sigma &= \frac{1 - \sqrt{1 + 4k}}{2}",
            ),
        ),
        Paragraph("With the two initial values we obtain the closed form"),
        Display("equation", (r"a_n = \frac{\rho^{n+1} - \sigma^{n+1}}{\rho - \sigma}.",)),
        Paragraph(
            "Since $|\\sigma| < \\rho$, the second term vanishes in comparison with the first, and the "
            "ratio of neighbouring counts tends to $\\rho$. For two colours we have $\\rho = 2$, so that "
            "each further cell doubles the number of coverings in the limit."
        ),
        Heading(2, "Generating functions"),
        Paragraph(
            "Let $A(x)$ be the power series whose coefficients are the counts. The recurrence turns into an "
            "equation for the series, and the series into a fraction that can be expanded in two ways:"
        ),
        Display(
            "gather",
            (
                r"A(x) = \sum_{n \geq 0} a_n x^n = \frac{1}{1 - x - k x^2}",
                r"a_n = \sum_{j \geq 0} \binom{n-j}{j} k^j",
            ),
        ),
        Paragraph(
            "The sum has a direct meaning. A covering with $j$ dominoes has $n - j$ pieces, of which we "
            "choose those that are dominoes, and then a colour for each."
        ),
        Heading(1, "The number of dominoes"),
        Heading(2, "The mean"),
        Paragraph(
            "Draw a covering uniformly from all $a_n$ and let $D_n$ be the number of its dominoes. Marking "
            "every domino with a factor and taking a derivative at one gives the mean, whose leading term "
            "is linear in $n$."
        ),
        Heading(3, "Leading term"),
        Paragraph("The number of dominoes for each cell tends to a constant, and we find"),
        Display(
            "equation",
            (r"\lim_{n \to \infty} \frac{\mathbb{E}[D_n]}{n} = \frac{\rho - 1}{2\rho - 1}.",),
        ),
        Heading(3, "An example"),
        Paragraph(
            "With two colours the limit is $\\frac{1}{3}$: of three cells, two are covered by a domino on "
            "average. With one colour it is about 0.2764. More colours make dominoes more likely, and the "
            "limit tends to $\\frac{1}{2}$, which is the largest possible value."
        ),
        Heading(1, "Conclusion"),
        Paragraph(
            "Colours change the numbers and not the method. The same line of reasoning covers pieces of "
            "length three, at the price of a recurrence of order three and of roots that are less pleasant "
            "to write down."
        ),
    ),
)
