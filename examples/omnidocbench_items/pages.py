"""The pages of examples/omnidocbench: two columns, tables, formulas, Chinese, and three columns with code."""

from __future__ import annotations

from omnidocbench_items.page import Column, Element, Page, aside, code, formula, table, text, title

__all__ = ["PAGES", "Element", "Page"]

_TIDES = Page(
    "tides",
    {"data_source": "academic_literature", "language": "english", "layout": "double_column"},
    (
        Column(30, 24, 360, (aside(1, "header", "Annals of Invented Oceanography, volume 4", gap=10),)),
        Column(30, 46, 360, (title(2, 1, "A tide gauge made of paper", size=r"\Large"),)),
        Column(
            30, 84, 172,
            (
                title(3, 2, "1 Introduction"),
                text(
                    4, 3,
                    "Every harbour of the island of Merle keeps a gauge, and no two of them agree. We "
                    "fold a gauge "
                    "from waxed paper, float it in a jar, and read it twice an hour. The reading is "
                    "within 3.5 mm "
                    "of a brass gauge that costs forty times as much.",
                ),
                text(
                    5, 4,
                    "The jar damps waves that are shorter than its neck. For a neck of radius $r$ and a "
                    "wave of "
                    "period $T$ the height $h_j$ in the jar follows the height $h$ of the sea:",
                ),
                formula(6, 5, r"h_j = h \left( 1 - e^{-T r^2 / \kappa} \right)"),
                text(
                    7, 6,
                    "where $\\kappa$ depends on the jar alone. We measured it by pouring one litre of "
                    "water into "
                    "the jar and counting seconds until the float came to rest, which took between",
                ),
            ),
        ),
        Column(
            218, 84, 172,
            (
                text(
                    8, 7,
                    " nine and eleven seconds for each of the six jars that we had.",
                ),
                title(9, 8, "2 Results"),
                text(
                    10, 9,
                    "The paper gauge failed once, when a gull took the float. On all other days the error "
                    "stayed "
                    "below 4 mm, and its mean over the month was 0.2 mm. Rain had no effect (Table 1 of "
                    "our notes).",
                ),
                text(
                    11, 10,
                    "A second gauge, folded by a child of nine years, was off by 6 mm from the first day "
                    "on; we "
                    "suspect the glue.",
                ),
                title(12, 11, "References"),
                text(
                    13, 12, "[1] A. Merle. Jars and their necks. Harbour Press, 1988.", "reference",
                    size=r"\footnotesize ",
                ),
                text(
                    14, 13, "[2] I. Quay, O. Berth. Gulls as a source of error. Letters on Floats 2, 1991.",
                    "reference", size=r"\footnotesize ",
                ),
            ),
        ),
        Column(30, 436, 300, (aside(15, "footer", "Draft of the third of May"),)),
        Column(380, 436, 20, (aside(16, "page_number", "17"),)),
    ),
    truncated=((7, 8),),
)  # fmt: skip

_LEDGER = Page(
    "ledger",
    {"data_source": "research_report", "language": "english", "layout": "single_column"},
    (
        Column(
            40, 40, 340,
            (
                title(1, 1, "Boats, berths and fees in the third quarter", size=r"\Large"),
                text(
                    2, 2,
                    "The harbour let 412 berths, 9% more than a year ago. Fees rose less than that, "
                    "because most "
                    "of the new guests came with boats below seven metres.",
                ),
                aside(3, "table_caption", "Table 1: Berths by length of the boat", gap=3),
                table(
                    4, 3, "lrrrr",
                    (
                        (("Length", 1, 2), ("Berths", 2, 1), ("Fees in crowns", 2, 1)),
                        ("2024", "2025", "2024", "2025"),
                        ("below 7 m", "188", "231", "9,400", "11,550"),
                        ("7 m to 12 m", "141", "136", "14,100", "13,600"),
                        ("above 12 m", "49", "45", "12,250", "11,700"),
                        ("Sum", "378", "412", "35,750", "36,850"),
                    ),
                ),
                aside(5, "table_footnote", "Fees without electricity."),
                text(
                    6, 4,
                    "Visitors stayed for 2.6 nights on average. The crane was closed for eleven days in "
                    "August, "
                    "and the slipway for none.",
                ),
                title(7, 5, "Staff"),
                table(
                    8, 6, "llr",
                    (
                        ("Post", "Holder", "Hours"),
                        ("Harbour master", "R. Pole", "1,610"),
                        ("Crane", "S. Hook & T. Line", "820"),
                        ("Office", "vacant", "0"),
                    ),
                ),
                text(
                    9, 7,
                    "The post in the office has been vacant since June. Two applications have come in, "
                    "one of "
                    "them from the gull.",
                ),
            ),
        ),
        Column(40, 436, 340, (aside(10, "footer", "Harbour of Merle, report to the council"),)),
    ),
)  # fmt: skip

_MEDIANS = Page(
    "medians",
    {"data_source": "book", "language": "english", "layout": "single_column"},
    (
        Column(40, 24, 340, (aside(1, "header", "Chapter 3. Means and medians", gap=10),)),
        Column(
            40, 50, 340,
            (
                title(2, 1, "3.2 The median of a sum"),
                text(
                    3, 2,
                    "Let $X$ and $Y$ be independent with medians $m_X$ and $m_Y$. The median of $X + Y$ "
                    "need not "
                    "be $m_X + m_Y$. If both densities are symmetric, however, then",
                ),
                formula(
                    4, 3,
                    r"P(X + Y \le m_X + m_Y) = \int_{-\infty}^{\infty} F_X(m_X + m_Y - y) f_Y(y) \, dy",
                ),
                text(5, 4, "and the integral is one half, as the following steps show:"),
                formula(
                    6, 5,
                    r"\begin{aligned} I &= \int_{-\infty}^{\infty} F_X(m_X - u) f_Y(m_Y + u) \, du \\ "
                    r"&= \int_{-\infty}^{\infty} \left( 1 - F_X(m_X + u) \right) f_Y(m_Y - u) \, du = 1 - I "
                    r"\end{aligned}",
                ),
                text(6 + 1, 6, "For a finite sample of $n$ values in ascending order we write"),
                formula(
                    8, 7,
                    r"\operatorname{med}(x) = \begin{cases} x_{(n+1)/2} & n \text{ odd} \\ "
                    r"\frac{1}{2} \left( x_{n/2} + x_{n/2+1} \right) & n \text{ even} \end{cases}",
                ),
                text(
                    9, 8,
                    "which is the only value that minimises $\\sum_i |x_i - t|$ if $n$ is odd. Compare "
                    "this with "
                    "the mean, which minimises the sum of squares:",
                ),
                formula(
                    10, 9,
                    r"\bar{x} = \arg\min_t \sum_{i=1}^{n} (x_i - t)^2, \qquad \sqrt{\frac{s^2}{n}} \ge 0",
                ),
                title(11, 10, "Exercises", size=r"\normalsize"),
                text(
                    12, 11,
                    "1. Find two densities for which the median of the sum is not the sum of the medians.",
                ),
                text(
                    13, 12,
                    "2. Show that $|m_X - \\mu| \\le \\sigma$ for every density with variance $\\sigma^2$.",
                ),
            ),
        ),
        Column(200, 436, 20, (aside(14, "page_number", "41"),)),
    ),
)  # fmt: skip

_HARBOUR = Page(
    "gangwan",
    {"data_source": "colorful_textbook", "language": "simplified_chinese", "layout": "single_column"},
    (
        Column(
            40, 40, 340,
            (
                title(1, 1, "第三课　港口的早晨", size=r"\Large"),
                text(
                    2, 2,
                    "清晨五点，港口还没有醒来。只有一只海鸥站在灯塔上，看着慢慢上涨的潮水。渔夫老王推着小车走过石桥，"
                    "车上放着三张旧渔网和一壶热茶。",
                ),
                text(
                    3, 3,
                    "太阳升起以后，船一只接一只地开出去。最小的船叫“蜻蜓”，长 6 米；"
                    "最大的船叫“长风”，长 31 米。"
                    "孩子们坐在岸边数船，每次数到十二就忘了。",
                ),
                title(4, 4, "练习一", size=r"\large"),
                text(5, 5, "设潮水的高度为 $h$，时间为 $t$，则一天之内近似有"),
                formula(6, 6, r"h(t) = 2.4 + 1.8 \cos \left( \frac{\pi t}{6} \right)"),
                text(7, 7, "请填写下面的表格，并说明几点钟潮水最低。"),
                table(
                    8, 8, "|c|c|c|c|",
                    (
                        ("时间", "早晨", "中午", "傍晚"),
                        ("高度（米）", "4.2", "0.6", "4.2"),
                        ("船的数量", "12", "3", "9"),
                    ),
                ),
                text(9, 9, "想一想：为什么傍晚回来的船比早晨出去的少？"),
            ),
        ),
        Column(200, 436, 20, (aside(10, "page_number", "23"),)),
    ),
    font="AR PL KaitiM GB",
)  # fmt: skip

_GAZETTE = Page(
    "gazette",
    {"data_source": "newspaper", "language": "english", "layout": "three_column"},
    (
        Column(24, 24, 372, (aside(1, "header", "THE MERLE GAZETTE      Tuesday      Two crowns", gap=10),)),
        Column(24, 46, 372, (title(2, 1, "Gull applies for post in harbour office", size=r"\LARGE"),)),
        Column(
            24, 88, 116,
            (
                text(
                    3, 2,
                    "The council will decide on Friday whether the post in the harbour office can be "
                    "given to a "
                    "bird. The applicant has lived on the light tower for six years and knows all boats.",
                ),
                text(
                    4, 3,
                    "Nobody else has the patience, said the harbour master, who has done the work of the "
                    "office "
                    "himself since June and would like to sleep.",
                ),
            ),
        ),
        Column(
            152, 88, 116,
            (
                title(5, 4, "Crane open again"),
                text(
                    6, 5,
                    "After eleven days the crane lifts boats again. A bolt had been missing. It was found "
                    "in the "
                    "pocket of a coat that hung beside the crane all the time.",
                ),
                title(7, 6, "Tides"),
                table(
                    8, 7, "lrr",
                    (
                        ("Day", "High", "Low"), ("Tue", "5:10", "11:20"), ("Wed", "6:02", "12:14"),
                        ("Thu", "6:55", "13:05"),
                    ),
                ),
            ),
        ),
        Column(
            280, 88, 116,
            (
                title(9, 8, "For young readers"),
                text(10, 9, "This program counts boats until one is called Dragonfly:"),
                code(
                    11, 10,
                    (
                        "n = 0", "for boat in harbour:", "  n = n + 1", "  if boat == 'Dragonfly':",
                        "    break",
                    ),
                ),
                text(12, 11, "What is n if no boat has that name? Send answers to the editor."),
            ),
        ),
        Column(24, 436, 372, (aside(13, "footer", "Printed on the quay"),)),
    ),
    as_pdf=True,
)  # fmt: skip

PAGES = (_TIDES, _LEDGER, _MEDIANS, _HARBOUR, _GAZETTE)
