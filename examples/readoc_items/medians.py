"""A one-column article with nested headings and spanning cells, of medium layout."""

from readoc_items.article import Article, Display, Heading, Items, Paragraph, Table

MEDIANS = Article(
    id="sensor-medians",
    difficulty="medium",
    title="Weighted Medians for Networks of Unreliable Sensors",
    author="Noor Haddad and Emil Vass",
    abstract=(
        "A mean of many sensors is spoiled by a single one that is broken. A median is not, but it treats "
        "good and bad sensors alike. We describe weighted medians, give a bound for how far broken sensors "
        "can move them, and report a small experiment with invented data in which one weight for each "
        "sensor is enough."
    ),
    blocks=(
        Heading(1, "Introduction"),
        Paragraph(
            "Consider $n$ sensors that measure the same quantity $\\theta$. Sensor $i$ reports $x_i$ and "
            "has a weight $w_i > 0$ that says how far we trust it. Some sensors are *broken*: they may "
            "report anything at all, and we do not know which ones they are."
        ),
        Paragraph(
            "The weighted mean uses all information when nothing is broken, and has no protection when "
            "something is. We look for an estimate that is close to the mean in good times and bounded in "
            "bad ones."
        ),
        Heading(1, "Weighted medians"),
        Heading(2, "Definition"),
        Paragraph(
            "A number $z$ is a weighted median if the sensors below it, and the sensors above it, each have "
            "at most half of the total weight $W$:"
        ),
        Display(
            "align",
            (
                r"\sum_{i:\, x_i < z} w_i &\leq \frac{W}{2}",
                r"\sum_{i:\, x_i > z} w_i &\leq \frac{W}{2}",
            ),
        ),
        Paragraph("Equivalently, it minimises a sum of weighted distances,"),
        Display("equation", (r"z \in \arg\min_{t \in \mathbb{R}} \sum_{i=1}^{n} w_i\, |x_i - t|.",)),
        Paragraph(
            "If several numbers satisfy this, they form an interval, and we take its middle. With equal "
            "weights we are back at the ordinary median."
        ),
        Heading(2, "Computation"),
        Heading(3, "By sorting"),
        Paragraph(
            "Sort the readings and add weights from below until half of the total is reached. This takes "
            "$O(n \\log n)$ steps and is fast enough for every network that fits on a roof."
        ),
        Heading(3, "By selection"),
        Paragraph(
            "A pivot divides the readings into three groups, of which only one can hold the median. With "
            "pivots that are drawn at random the expected number of steps is $O(n)$."
        ),
        Heading(2, "A bound"),
        Paragraph(
            "Let $B$ be the total weight of broken sensors, and let the readings of the others lie in an "
            "interval $[a, b]$. Then the weighted median cannot leave the interval as long as"
        ),
        Display("equation", (r"B < \frac{W}{2}.",)),
        Paragraph(
            "To see this, suppose that it lay above $b$. All good sensors would then be below it, and their "
            "weight $W - B$ would be more than half of the total, which contradicts the definition."
        ),
        Heading(1, "Choosing weights"),
        Heading(2, "From variances"),
        Paragraph(
            "For sensors with known variance the mean wants weights that are inverse variances. The median "
            "wants something else, because its efficiency depends on the density at the centre. For normal "
            "errors with standard deviations $\\sigma_i$ we obtain"
        ),
        Display(
            "gather",
            (
                r"w_i \propto \frac{1}{\sigma_i}",
                r"\operatorname{Var}(z) \approx \frac{\pi n}{2} \left(\sum_i \frac{1}{\sigma_i}\right)^{-2}.",
            ),
        ),
        Paragraph(
            "The weights of the median are therefore less extreme than those of the mean, which is welcome: "
            "a sensor with a very large weight is a sensor that must not break."
        ),
        Heading(2, "From history"),
        Paragraph(
            "When variances are not known they can be estimated from past agreement. We use three rules:"
        ),
        Items(
            (
                "no sensor has more than a tenth of the total weight;",
                "weights change by at most 5% a day;",
                "a sensor that was silent for a day begins again with the smallest weight.",
            )
        ),
        Heading(1, "Experiment"),
        Heading(2, "Setting"),
        Paragraph(
            "Forty sensors report a temperature every ten minutes for thirty days. A given share of them is "
            "broken and reports a value that was frozen at a random time. The error is the root of the mean "
            "squared deviation from a reference in kelvin."
        ),
        Heading(2, "Results"),
        Paragraph(
            "Table 1 shows the errors. Without broken sensors the weighted mean is best, and the weighted "
            "median is close behind. With broken sensors the order is reversed, and the weighted median has "
            "the smallest error in every column."
        ),
        Table(
            "Root mean squared error in kelvin, by the share of broken sensors.",
            "lrrrr",
            (
                ("Estimate", "4|Share of broken sensors"),
                ("", "0%", "10%", "20%", "40%"),
                ("Mean", "0.11", "0.94", "1.83", "3.70"),
                ("Weighted mean", "0.08", "0.71", "1.52", "3.36"),
                ("Median", "0.14", "0.17", "0.24", "0.66"),
                ("Weighted median", "0.10", "0.13", "0.19", "0.51"),
            ),
        ),
        Heading(1, "Conclusion"),
        Paragraph(
            "A weighted median costs a sort and buys a bound. We see little reason to average sensors that "
            "nobody looks after."
        ),
    ),
)
