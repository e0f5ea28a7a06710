"""A two-column article with wide tables and long maths, of hard layout."""

from readoc_items.article import Article, Display, Heading, Items, Paragraph, Table

FERRIES = Article(
    id="ferry-timetables",
    difficulty="hard",
    title="Timetables for Ferries with Uncertain Crossing Times",
    author="Marit Solheim, Jonas Adler and Teo Quintana",
    two_columns=True,
    abstract=(
        "A ferry that leaves late arrives late, and a timetable with long layovers wastes ships. We choose "
        "layovers that minimise the expected delay of passengers for a given number of ships. The problem "
        "is convex for crossing times with independent deviations, and a simple rule that divides the "
        "available slack by the square root of the variance comes within 4% of the optimum on synthetic "
        "routes."
    ),
    blocks=(
        Heading(1, "Introduction"),
        Paragraph(
            "A ferry line connects harbours $1, \\ldots, m$ in a cycle. Wind and current change the time of "
            "a crossing, and passengers judge the line by whether it leaves on time. The operator can add "
            "slack to the layovers, which is the only decision that we study. Slack absorbs delays, but "
            "each minute of it lengthens the cycle and in the end costs a ship."
        ),
        Paragraph(
            "Planning with slack is common for trains and buses. Ferries differ in two ways: crossings are "
            "few and long, and their deviations are strongly skewed, since a crossing can be much slower "
            "than planned but hardly faster."
        ),
        Items(
            (
                "We state the choice of slack as a convex problem with one constraint.",
                "We derive a rule that needs only the variance of each crossing.",
                "We compare the rule with the optimum and with equal slack on synthetic routes.",
            )
        ),
        Heading(1, "Model"),
        Heading(2, "Delays"),
        Paragraph(
            "Let $D_i \\geq 0$ be the delay at departure from harbour $i$, $s_i \\geq 0$ the slack of the "
            "layover there, and $X_i$ the deviation of the crossing that leads to it. Delays are passed on "
            "as in a queue,"
        ),
        Display("equation", (r"D_{i+1} = \max\left(0,\; D_i + X_{i+1} - s_{i+1}\right).",)),
        Paragraph(
            "We assume that deviations are independent with mean zero and finite variance $v_i$. The time "
            "of a cycle is the sum of crossings, of handling at the quay and of slack. With $K$ ships and a "
            "departure every $h$ minutes it may not exceed $Kh$, so that the slack has a budget:"
        ),
        Display("equation", (r"\sum_{i=1}^{m} s_i \leq S, \qquad S = Kh - \sum_{i=1}^{m} (c_i + q_i).",)),
        Paragraph(
            "Here $c_i$ is the planned time of a crossing and $q_i$ that of handling. A negative budget "
            "means that the line cannot be run with $K$ ships at all."
        ),
        Heading(2, "Objective"),
        Paragraph(
            "Let $w_i$ be the number of passengers that board at harbour $i$. We minimise the delay that "
            "they see,"
        ),
        Display(
            "align",
            (
                r"\min_{s} \quad & \sum_{i=1}^{m} w_i\, \mathbb{E}[D_i]",
                r"\text{subject to} \quad & \sum_{i=1}^{m} s_i \leq S",
                r"& s_i \geq 0, \quad i = 1, \ldots, m.",
            ),
        ),
        Paragraph(
            "Each $D_i$ is a maximum of functions that are linear in the slack, hence convex, and "
            "expectations and weighted sums keep convexity. A local optimum is therefore global."
        ),
        Heading(3, "Stationary delays"),
        Paragraph(
            "When the same slack is used day after day, delays reach a stationary law if the total slack is "
            "positive. For heavy use the mean has the well-known form"
        ),
        Display("equation", (r"\mathbb{E}[D] \approx \frac{v}{2s}, \qquad s \to 0.",)),
        Heading(1, "A rule of thumb"),
        Heading(2, "Derivation"),
        Paragraph(
            "Put the approximation in the place of the expectation, one harbour at a time. The multiplier "
            "$\\mu$ of the budget then satisfies, for each harbour with positive slack,"
        ),
        Display(
            "gather",
            (
                r"\frac{w_i v_i}{2 s_i^2} = \mu",
                r"s_i = S\, \frac{\sqrt{w_i v_i}}{\sum_{j=1}^{m} \sqrt{w_j v_j}}.",
            ),
        ),
        Paragraph(
            "Slack is divided in proportion to the square root of weight times variance. We call this the "
            "*root rule*. It can be computed by hand, and it does not change when all weights are "
            "multiplied by the same factor."
        ),
        Heading(2, "When it fails"),
        Paragraph(
            "The rule treats harbours as if delays ended there. If one crossing is much more variable than "
            "all others, its delays reach the next harbours as well, and the optimum puts more slack "
            "directly behind it than the rule does. We measure how much this matters below."
        ),
        Heading(1, "Experiments"),
        Heading(2, "Synthetic routes"),
        Paragraph(
            "We draw routes with four to eight harbours. Deviations have a shifted gamma law, whose "
            "skewness is 1.5. Each setting is simulated for 20,000 cycles with common random numbers for "
            "all methods. The optimum is found by subgradient steps on the same sample."
        ),
        Table(
            "Mean delay of a passenger in minutes, for a budget of 30 minutes of slack.",
            "lrrrr",
            (
                ("Method", "2|Calm", "2|Storm"),
                ("", "$m=4$", "$m=8$", "$m=4$", "$m=8$"),
                ("Equal slack", "2.31", "3.87", "6.40", "9.92"),
                ("Root rule", "1.98", "3.12", "5.21", "7.75"),
                ("Optimum", "1.94", "3.01", "5.07", "7.46"),
            ),
        ),
        Paragraph(
            "Table 1 shows the delays. The root rule removes most of what equal slack loses. Its distance "
            "to the optimum is at most 4%, and it grows with the number of harbours, because more delays "
            "are passed on."
        ),
        Heading(2, "How much slack"),
        Paragraph(
            "Delay falls quickly with the first minutes of slack and slowly with the later ones. Table 2 "
            "shows the effect for six harbours in calm weather. Beyond 40 minutes a further ship would be "
            "the better use of money."
        ),
        Table(
            "Mean delay and punctual departures under the root rule, by the budget of slack.",
            "rrr",
            (
                ("$S$ (min)", "Delay (min)", "Punctual"),
                ("10", "7.12", "38%"),
                ("20", "3.95", "57%"),
                ("30", "2.54", "70%"),
                ("40", "1.77", "79%"),
                ("50", "1.31", "85%"),
            ),
        ),
        Heading(3, "Sensitivity"),
        Paragraph(
            "Variances are estimated from logs and are never exact. If every variance is off by a factor "
            "between one half and two, drawn independently, the delay under the rule rises by 3% on "
            "average. The square root makes the rule tolerant of such errors."
        ),
        Heading(1, "Related questions"),
        Paragraph(
            "We did not allow a ship to leave early or to skip a harbour, and we kept the order of "
            "harbours. Both are decisions of the day, whereas slack is a decision of the season. A model "
            "with both would need a description of what passengers know when they choose a departure."
        ),
        Heading(1, "Conclusion"),
        Paragraph(
            "Slack is best placed where crossings are uncertain and where many people wait. The root rule "
            "says how much, with one square root for each harbour."
        ),
    ),
)
