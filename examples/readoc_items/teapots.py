"""A two-column article with measurements, of medium layout."""

from readoc_items.article import Article, Display, Heading, Items, Paragraph, Table

TEAPOTS = Article(
    id="cooling-teapots",
    difficulty="medium",
    title="How Long Does a Teapot Stay Warm? A Small Study of Lids and Cosies",
    author="Piet Oosterhuis and Lena Brandvold",
    two_columns=True,
    abstract=(
        "We model the cooling of a teapot by two resistances in series and estimate them from temperatures "
        "that were taken every minute. A lid halves the loss, a cosy halves it again, and the material of "
        "the pot matters less than either. All numbers of this article are invented for the purpose of "
        "illustration."
    ),
    blocks=(
        Heading(1, "Introduction"),
        Paragraph(
            "Tea is brewed near the boiling point and drunk at about 60 °C. Between the two lies a time "
            "that depends on the pot, on its lid and on what is put over it. We ask which of the three is "
            "worth the effort. The question is old, and the usual answers are given without numbers."
        ),
        Paragraph(
            "Our model is the simplest one that can tell the effects apart. It has one state, the "
            "temperature $T$ of the water, and treats the wall of the pot and the layer of air around it as "
            "two resistances in series."
        ),
        Paragraph("This article makes two contributions:"),
        Items(
            (
                "a model with three parameters, all of which have a physical meaning;",
                "estimates of them for four pots, with and without a lid and a cosy.",
            )
        ),
        Heading(1, "Model"),
        Heading(2, "Balance of heat"),
        Paragraph(
            "Let $C$ be the heat capacity of the filled pot in joules per kelvin, $T_0$ the temperature of "
            "the room, and $R$ the total resistance in kelvin per watt. The balance of heat is"
        ),
        Display("equation", (r"C\,\frac{dT}{dt} = -\frac{T - T_0}{R}.",)),
        Paragraph("Its solution decays exponentially with the time constant $\\tau = RC$:"),
        Display("equation", (r"T(t) = T_0 + (T_1 - T_0)\,e^{-t/\tau}.",)),
        Paragraph(
            "Here $T_1$ is the temperature at the time $t = 0$. The time until the tea can be drunk, at a "
            "temperature $T_d$, follows from the solution by taking a logarithm. We call it $t_d$ in what "
            "follows."
        ),
        Heading(2, "Resistances"),
        Paragraph("The total resistance is a sum of the parts that the heat has to pass one after another,"),
        Display(
            "align",
            (
                r"R &= R_w + R_a + R_c",
                r"R_w &= \frac{d}{\lambda A}",
                r"R_a &= \frac{1}{h A}",
            ),
        ),
        Paragraph(
            "where $d$ is the thickness of the wall, $\\lambda$ its conductivity, $A$ the surface, $h$ the "
            "coefficient of heat transfer to the air, and $R_c$ the resistance of the cosy, which is zero "
            "without one."
        ),
        Heading(3, "What the model leaves out"),
        Paragraph(
            "Evaporation through an open lid carries heat away that is not proportional to the difference "
            "of temperatures. We fit an effective resistance for pots without a lid and note that the "
            "residuals are larger there. Radiation is part of $h$."
        ),
        Heading(1, "Measurements"),
        Heading(2, "Procedure"),
        Paragraph(
            "Each pot was rinsed with hot water, filled with one litre at 95 °C and placed on a wooden "
            "board. A probe in the middle of the water was read every minute for two hours. Each setting "
            "was repeated three times on different days, with a room between 20 °C and 22 °C."
        ),
        Paragraph(
            "The pots are of porcelain, stoneware, cast iron and glass. The cosy is knitted from wool in "
            "two layers. No pot was moved while it cooled."
        ),
        Heading(2, "Estimates"),
        Paragraph(
            "We minimise the sum of squared residuals over the time constant and the initial temperature,"
        ),
        Display(
            "gather",
            (
                r"(\hat\tau, \hat T_1) = \arg\min \sum_{i=1}^{m} r_i^2",
                r"r_i = T(t_i) - y_i",
            ),
        ),
        Paragraph("where $y_i$ is the reading at minute $t_i$. The results are in Table 1."),
        Table(
            "Time constants in minutes, means of three repetitions.",
            "lrrr",
            (
                ("Pot", "Open", "Lid", "Cosy"),
                ("Porcelain", "41", "78", "151"),
                ("Stoneware", "44", "83", "158"),
                ("Cast iron", "47", "90", "166"),
                ("Glass", "36", "70", "139"),
            ),
        ),
        Heading(1, "Results"),
        Heading(2, "Lid and cosy"),
        Paragraph(
            "In every pot the lid increases the time constant by a factor between 1.89 and 1.94. The cosy, "
            "placed over the closed pot, adds another factor between 1.84 and 1.99. The factors are nearly "
            "the same for all materials, which agrees with a model in which the air dominates the total "
            "resistance."
        ),
        Heading(2, "Material"),
        Paragraph(
            "Cast iron keeps tea warm for longest and glass for the shortest time. The difference is 29% "
            "for closed pots. Most of it comes from the heat capacity: the iron pot has three times the "
            "mass of the glass pot."
        ),
        Heading(3, "Time until the tea can be drunk"),
        Paragraph(
            "Table 2 translates the time constants into what a drinker notices. A pot of porcelain under a "
            "cosy is still warm after two hours, and an open pot of glass is not after half an hour."
        ),
        Table(
            "Minutes until the tea has cooled to the temperature in the head of a column.",
            "llrr",
            (
                ("Pot", "Cover", "60 °C", "45 °C"),
                ("Porcelain", "lid", "50", "89"),
                ("Porcelain", "cosy", "97", "172"),
                ("Glass", "open", "23", "41"),
                ("Glass", "cosy", "89", "158"),
            ),
        ),
        Heading(1, "Discussion"),
        Paragraph(
            "The order of the effects is clear: cover first, material last. A drinker who owns a pot of "
            "glass gains more from a piece of wool than from another pot. The estimates depend on the probe "
            "and on the room, and we did not vary the amount of water, which changes both $C$ and $A$."
        ),
        Paragraph(
            "A larger pot has less surface for each litre, so that its time constant grows roughly with the "
            "side length. We expect this to hold until evaporation dominates, and leave it to somebody with "
            "more patience and more tea."
        ),
        Heading(1, "Conclusion"),
        Paragraph(
            "Two resistances and one capacity describe the cooling of a teapot within half a degree. Put "
            "the lid on."
        ),
    ),
)
