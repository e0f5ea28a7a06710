"""A page for tests: header, title, text that the layout divides, formula, table and a last paragraph."""

HTML = "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>"


def element(category, order, **fields):
    return {"category_type": category, "order": order, **fields}


def annotation(**changes):
    page = {
        "layout_dets": [
            element("header", None, anno_id=0, text="Annals of the Sea"),
            element("title", 1, anno_id=1, text="On the tides"),
            element("text_block", 2, anno_id=2, text="The tide at $x_1$ rises by 3.5 m in the"),
            element("text_block", 6, anno_id=3, text=" first hour of the day."),
            element("equation_isolated", 3, anno_id=4, latex="$$E=mc^2$$"),
            element("table", 4, anno_id=5, html=HTML, attribute={"with_span": False}),
            element("text_block", 5, anno_id=6, text="Another paragraph about the moon and the sea."),
            element("figure", 7, anno_id=7),
        ],
        "page_info": {"width": 100, "height": 200, "page_attribute": {"language": "english"}},
        "extra": {
            "relation": [{"source_anno_id": 2, "target_anno_id": 3, "relation_type": "truncated"}],
        },
    }
    return page | changes
