from hoptrail.eval.report.markup import Html, join, tag


def test_text_is_escaped_and_markup_is_not() -> None:
    assert tag("p", "a < b", tag("b", "&")) == "<p>a &lt; b<b>&amp;</b></p>"
    assert join("<i>", Html("<i>")) == "&lt;i&gt;<i>"


def test_attributes_are_escaped() -> None:
    assert tag("a", title='"><script>') == '<a title="&quot;&gt;&lt;script&gt;"></a>'


def test_flags_and_names_that_python_reserves() -> None:
    assert tag("rect", class_="bar", data_flip=True, hidden=False, x=None) == (
        '<rect class="bar" data-flip/>'
    )


def test_children_may_be_in_a_list_and_missing() -> None:
    assert tag("ul", [tag("li", "1"), tag("li", "2")], None) == ("<ul><li>1</li><li>2</li></ul>")
