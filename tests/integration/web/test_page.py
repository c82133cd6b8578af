"""The page of `hoptrail web`, used as people use it, in a real browser."""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hoptrail import Hoptrail
from hoptrail.core.settings import Settings
from hoptrail.core.types import Document, SavedAnswer
from hoptrail.stores.feedback import FeedbackFile
from hoptrail.stores.saved_answers import SavedAnswers
from hoptrail.testing import OpenAIStubServer
from hoptrail.testing.faults import slow
from tests.page import SIZES, Visit, real_browser, visiting
from tests.serving import serving_web
from tests.ships import QUESTION, REPLY, hashing_settings, index_ships, ship_documents
from tests.waiting import wait_for
from tests.web_server import web_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request, Route

pytestmark = pytest.mark.slow

NEXT_QUESTION = "Where did the yard stand that built the Morning Tern?"
STATIC = Path(__file__).parents[3] / "src" / "hoptrail" / "web" / "static"
GRAPH = {"graph_layout.js", "graph_picture.js", "graph_view.js"}
LATER = GRAPH | {"folder_upload.js", "formulas.js", "sharing.js"}  # loaded when they are needed
SCRIPT = "<script>window.ran = true</script><img src=x onerror='window.ran = true'>"
HOSTILE = (
    f"The {SCRIPT} Yard was founded by Mallory Crane. </div></main>{SCRIPT} "
    "<svg onload='window.ran=true'></svg> Mallory Crane was born in Brackenholm."
)
FIRST_PAGE = "The Quill Press was founded by Orla Finch.\n"
PAGES = f"{FIRST_PAGE}Orla Finch was born in Tarn Abbey."
PIER = "# The Pier <b>\n\n- It lies at Wick.\n- It is of oak."
WRAPPED = """# Rules

The laundry room is open from seven in the morning to ten in the
evening. Whoever
uses it leaves it clean.

Ann Holt
Caretaker

- Bicycles stand in the shed behind the house, and never in the hall
  or on the stairs.
- Dogs stay outside.

```
a line of code that is as long as a line of code may ever become
here
```
"""
ARABIC = "# مخبز السلام\n\nتأسس مخبز السلام في عام 1950.\n\nThe bakery is in Amman."
MARKDOWN = """FINAL ANSWER:
## Ships and yards

The base tells of **ships** and <b>*yards*</b>. [reports: 1]

- The Morning Tern
- The Alder Yard

| Ship | Year |
|---|---|
| Morning Tern | 1871 |
"""
FORMULAS = rf"""It is $E = mc^2$ and **bold** \(a_1 * b_2 * c\); it costs $5 to $10.

\[
x = \left[ \frac{{a}}{{b}} \right] \\[2pt]
\]

- Luigi: $$
- Mario: $$ ($20-25 a night)

No formula is $\text{{{SCRIPT}}}$"""
LONG = "Nothing of this tells of any ship.\n" * 1_500


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with real_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("page")
    documents = [
        *ship_documents(),
        Document("t/hostile", f"Hostile {SCRIPT}", HOSTILE, "t"),
        Document(
            "t/paged", "Paged", PAGES, "t", places=((0, "page 1"), (len(FIRST_PAGE), "page 2"))
        ),
        Document("t/pier.md", "Pier", PIER, "t"),
        Document("t/wrapped.md", "Rules", WRAPPED, "t"),
        Document("t/arabic.md", "مخبز السلام", ARABIC, "t"),
        Document("t/long", "Long notes", f"{LONG}Quenby Voss built the Sea Wall.\n{LONG}", "t"),
    ]
    with Hoptrail.open(folder / "ships", create=True, settings=Settings()) as hoptrail:
        hoptrail.index(documents, extractor="nlp")
    with Hoptrail.open(folder / "empty", create=True, settings=Settings()):
        pass
    with serving_web(folder, "--kb", "ships=ships", "--kb", "empty=empty") as server:
        yield server.url


@pytest.fixture(scope="module")
def own_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A page over a base of its own, where what is saved answers no other test's question."""
    folder = tmp_path_factory.mktemp("own")
    index_ships(folder / "ships", hashing_settings())
    with web_server(folder, {"ships": folder / "ships"}) as server:
        yield server.url


@pytest.fixture(params=["narrow", "wide"])
def visit(request: pytest.FixtureRequest, browser: Browser, address: str) -> Iterator[Visit]:
    """The page at each size: dark where it is narrow, light where it is wide."""
    scheme = "dark" if request.param == "narrow" else "light"
    with visiting(browser, address, request.param, scheme) as opened:
        yield opened


def test_an_answer_comes_with_its_trail_drawn_and_in_steps(visit: Visit) -> None:
    visit.ask(QUESTION)

    assert visit.answer == "Edda Thorn"
    states = visit.page.locator(".steps .state").all_inner_texts()
    assert states == ["1 · stated", "2 · stated"]
    drawn = visit.page.locator(".drawing svg")
    drawn.wait_for()
    names = drawn.locator(".entity title").all_text_contents()
    assert names == ["Morning Tern", "Alder Yard", "Edda Thorn"]


def test_nothing_is_wider_than_the_screen(visit: Visit) -> None:
    visit.ask(QUESTION)
    visit.page.locator(".drawing svg").wait_for()

    for view in ("", "#/browse", "#/documents", "#/document?kb=ships&id=t%2Fhostile"):
        if view:
            visit.go(view)
            visit.page.locator("main h1").wait_for()
        width = visit.page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
        inner = visit.page.evaluate("main.scrollWidth - main.clientWidth")
        assert (width, inner) == (0, 0)


def test_a_follow_up_question_is_understood(visit: Visit) -> None:
    visit.ask(QUESTION)
    visit.ask("Where was she born?")

    assert "Brackenholm" in visit.answer


def test_a_click_on_a_step_opens_the_document_at_the_quote(visit: Visit) -> None:
    visit.ask(QUESTION)

    visit.page.locator(".steps .quote").first.click()

    mark = visit.page.locator("#source mark")
    mark.wait_for()
    assert "built at the Alder Yard" in mark.inner_text()
    assert visit.page.locator("#source h2").inner_text() == "Morning Tern"


def test_the_way_back_closes_a_source_and_stays_in_the_conversation(visit: Visit) -> None:
    visit.ask(QUESTION)
    address = visit.page.url
    visit.page.locator(".steps .quote").first.click()
    visit.page.locator("#source mark").wait_for()

    visit.page.go_back()

    visit.page.locator("#source").wait_for(state="hidden")
    assert visit.page.url == address
    assert visit.answer == "Edda Thorn"


def test_a_click_in_the_drawing_opens_the_same_quote(visit: Visit) -> None:
    visit.ask(QUESTION)

    visit.page.locator(".drawing [data-hop='2']").click()

    mark = visit.page.locator("#source mark")
    mark.wait_for()
    assert "founded by Edda Thorn" in mark.inner_text()


def test_the_keyboard_alone_opens_and_closes_a_source(visit: Visit) -> None:
    visit.ask(QUESTION)
    visit.page.locator(".steps .quote").first.focus()

    visit.page.keyboard.press("Enter")
    visit.page.locator("#source mark").wait_for()
    visit.page.keyboard.press("Escape")

    visit.page.locator("#source").wait_for(state="hidden")
    assert visit.page.evaluate("document.activeElement.className") == "quote"


def test_the_keyboard_goes_on_where_something_has_changed(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        keyboard = visit.page.keyboard
        visit.ask(QUESTION)
        # The list is read again after an answer; until then it holds other tests' conversations.
        visit.page.locator("#threads li:has([aria-current]) summary").focus()
        for key in ("Enter", "Tab", "Enter"):
            keyboard.press(key)
        visit.page.locator("dialog.question").wait_for()
        keyboard.type("Yards")
        keyboard.press("Enter")
        visit.page.locator("#threads a:focus", has_text="Yards").wait_for()
        assert visit.page.title() == "Yards · Hoptrail"

        visit.page.get_by_role("link", name="Documents", exact=True).focus()
        keyboard.press("Enter")
        visit.page.locator("main:focus").wait_for()
        visit.page.locator(".documents").wait_for()
        keyboard.press("Tab")
        assert visit.page.evaluate("document.activeElement.id") == "files"


def test_what_is_not_known_shows_the_nearest_passages(visit: Visit) -> None:
    visit.ask("Who was the first owner of the Morning Tern's anchor?")

    assert visit.answer.startswith("I don't know")
    # Underlined are words of a picture that may be misread, and nothing else.
    line = visit.page.locator(".turn .answer").last.evaluate(
        "one => getComputedStyle(one).textDecorationLine"
    )
    assert line == "none"
    visit.page.locator(".nearest .quote").first.click()
    visit.page.locator("#source mark").wait_for()


def test_a_conversation_is_there_again_after_a_reload(visit: Visit) -> None:
    visit.ask(QUESTION)
    visit.ask("Where was she born?")

    visit.page.reload()

    visit.page.locator(".turn").nth(1).locator(".steps").wait_for()
    assert visit.page.locator(".turn > h2").all_inner_texts() == [QUESTION, "Where was she born?"]
    visit.page.locator(".turn .drawing svg").nth(1).wait_for()


def test_a_conversation_is_renamed_exported_and_deleted(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        page = visit.page
        visit.ask(QUESTION)
        page.locator("#threads [aria-current]").wait_for()

        def act(name: str) -> None:
            page.locator("#threads li:has([aria-current]) summary").click()
            page.locator("#threads li:has([aria-current])").get_by_role("button", name=name).click()

        act("Rename")
        page.locator("dialog input").fill("About a yard")
        page.get_by_role("button", name="Rename").last.click()
        page.locator("#threads").get_by_text("About a yard").wait_for()
        with page.expect_download() as download:
            act("Export")
        act("Delete")
        page.locator("dialog").get_by_role("button", name="Delete").click()

        page.locator("#threads").get_by_text("About a yard").wait_for(state="detached")
        page.locator(".welcome").wait_for()
        exported = download.value.path().read_text(encoding="utf-8")
        assert "Edda Thorn" in exported
        assert download.value.suggested_filename == "About a yard.md"


def test_a_conversation_is_shared_by_a_link_until_that_is_ended(
    browser: Browser, ships: Path, tmp_path: Path
) -> None:
    keys: dict[str, Any] = {"anna": {}, "bert": {}}
    with (
        web_server(tmp_path, {"ships": ships}, keys=keys) as server,
        visiting(browser, server.url) as owner,
        visiting(browser, server.url, "narrow", "dark") as other,
    ):
        for visit, name in ((owner, "anna"), (other, "bert")):
            field = visit.page.get_by_label("This server asks for your key").locator("input")
            field.fill(server.keys[name])
            visit.page.keyboard.press("Enter")
        owner.ask(QUESTION)
        owner.page.locator("#threads summary").click()
        owner.page.get_by_role("button", name="Share").click()
        owner.page.get_by_role("button", name="Make a link").click()
        link = owner.page.get_by_label("Link", exact=True).input_value()

        other.page.goto(link)
        other.page.locator(".steps .quote").first.wait_for()
        assert other.answer == "Edda Thorn"
        assert other.page.locator(".composer, .feedback").count() == 0
        other.page.locator(".steps .quote").first.click()
        other.page.locator("#source mark").wait_for()

        owner.page.get_by_role("button", name="Stop sharing").click()
        owner.page.get_by_role("button", name="Make a link").wait_for()
        other.page.reload()
        other.page.get_by_text("This link shows nothing").wait_for()


def test_an_answer_is_copied_with_its_citations(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        visit.ask(QUESTION)

        visit.page.get_by_role("button", name="Copy with citations").click()
        visit.page.get_by_role("button", name="Copied").wait_for()

        copied = visit.page.evaluate("navigator.clipboard.readText()")
        assert copied.splitlines()[:3] == [f"**{QUESTION}**", "", "Edda Thorn [1][2]"]
        assert "built at the Alder Yard" in copied
        assert "`t/Morning Tern`" in copied


def test_an_abstention_is_copied_with_the_nearest_passages(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        visit.ask("Who was the first owner of the Morning Tern's anchor?")

        visit.page.get_by_role("button", name="Copy with citations").click()
        visit.page.get_by_role("button", name="Copied").wait_for()

        copied = visit.page.evaluate("navigator.clipboard.readText()").splitlines()
        assert copied[2].startswith("I don't know")
        assert copied[3:6] == ["", "Nearest passages:", ""]
        assert copied[6].startswith('- "') and "`t/" in copied[6]


def test_the_menu_opens_before_the_modules_are_there(browser: Browser, address: str) -> None:
    with visiting(browser, address, "narrow") as visit:
        held: list[Route] = []
        visit.page.route("**/main.js", lambda route: held.append(route))
        visit.page.reload(wait_until="commit")
        visit.page.get_by_role("button", name="Menu").click()
        link = visit.page.get_by_role("link", name="Browse", exact=True)
        link.wait_for()
        for route in held:
            route.continue_()
        visit.page.get_by_label("Question").wait_for()

        link.click()

        visit.page.get_by_role("heading", name="Browse").wait_for()
        assert not link.is_visible()


def test_an_entity_is_found_with_its_relations_and_passages(visit: Visit) -> None:
    visit.search("alder", "Alder Yard")

    visit.page.get_by_role("heading", name="Alder Yard").wait_for()
    assert "Edda Thorn" in visit.page.locator(".relations").inner_text()
    # Names of which no more is known than that they share a sentence stand apart.
    assert "co-occurs" not in visit.page.locator("main").inner_text()
    visit.page.locator(".passages .quote").first.click()
    visit.page.locator("#source .document-text").wait_for()


def test_the_picture_of_an_entity_is_walked_in_and_shows_the_passage_of_a_line(
    browser: Browser, address: str
) -> None:
    with visiting(browser, address) as visit:
        asked: list[str] = []
        visit.page.on("request", lambda request: asked.append(request.url))
        visit.page.emulate_media(reduced_motion="reduce")
        visit.search("alder", "Alder Yard")
        assert not any("graph_" in one for one in asked)
        visit.page.get_by_role("link", name="Show as a picture").click()
        visit.page.get_by_role("heading", name="Alder Yard").wait_for()
        told = visit.page.locator(".told")

        on_canvas(visit, lambda: told.locator(".quote").count() > 0)
        assert "Alder Yard" in told.inner_text()
        told.locator(".quote").click()
        visit.page.locator("#source mark").wait_for()
        visit.page.locator("#source").get_by_role("button", name="Close").click()
        title = visit.page.locator(".graph h1")
        on_canvas(visit, lambda: title.inner_text() != "Alder Yard")
        visit.page.wait_for_url(re.compile("graph"))
        visit.page.go_back()
        visit.page.get_by_role("heading", name="Alder Yard").wait_for()


FIND_THINGS = """canvas => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const found = [];
    for (let y = 5; y < height; y += 11) for (let x = 5; x < width; x += 11) {
        const at = { clientX: left + x, clientY: top + y, pointerType: "mouse", bubbles: true };
        canvas.dispatchEvent(new PointerEvent("pointermove", at));
        if (canvas.classList.contains("over")) found.push([at.clientX, at.clientY]);
    }
    return found;
}"""


def on_canvas(visit: Visit, has_come: Callable[[], bool]) -> None:
    """Click in the picture wherever something is, until that has come."""
    canvas = visit.page.locator(".stage canvas")
    canvas.scroll_into_view_if_needed()
    choice = random.Random(5)
    for _ in range(60):
        x, y = choice.choice(canvas.evaluate(FIND_THINGS))  # anew: a click can move the picture
        visit.page.mouse.move(x, y)
        visit.page.mouse.click(x, y)
        visit.page.wait_for_timeout(150)
        if has_come():
            return
    raise AssertionError("nothing in the picture did it")


def test_the_list_below_the_picture_does_the_same_by_keyboard(visit: Visit) -> None:
    visit.search("alder", "Alder Yard")
    visit.page.get_by_role("link", name="Show as a picture").press("Enter")
    visit.page.get_by_role("heading", name="Alder Yard").wait_for()

    visit.page.get_by_role("button", name=re.compile("Passage of: Alder Yard")).first.press("Enter")
    visit.page.locator(".told .quote").wait_for()
    focused = visit.page.evaluate("document.activeElement.className")
    assert focused == "quote"
    visit.page.locator(".relations a", has_text="Edda Thorn").first.press("Enter")
    visit.page.get_by_role("heading", name="Edda Thorn").wait_for()
    assert "Brackenholm" in visit.page.locator(".relations").inner_text()


def test_an_uploaded_document_can_be_asked_and_deleted(
    browser: Browser, address: str, tmp_path: Path
) -> None:
    note = tmp_path / "lantern.txt"
    note.write_text("The Green Lantern Inn was founded by Tamsin Rook.", encoding="utf-8")
    with visiting(browser, address) as visit:
        visit.show("Documents")
        visit.page.get_by_label("Add files").set_input_files(note)
        visit.page.locator(".jobs").get_by_text("lantern.txt: added").wait_for()
        row = visit.page.locator(".documents tr", has_text="lantern")
        row.wait_for()

        visit.show("Ask")
        visit.ask("Who founded the Green Lantern Inn?")
        assert visit.answer == "Tamsin Rook"

        visit.show("Documents")
        counted = visit.page.get_by_text(re.compile(r": \d+ documents\."))
        held = int(re.findall(r"\d+", counted.inner_text())[-1])
        visit.page.get_by_label("Find").fill("lantern")
        row.get_by_role("button", name=re.compile("Delete")).click()
        visit.page.locator("dialog").get_by_role("button", name="Delete").click()
        visit.page.locator(".jobs").get_by_text(re.compile("lantern.*: deleted")).wait_for()
        row.wait_for(state="detached")
        visit.page.get_by_text(f": {held - 1} documents.").wait_for()


@pytest.mark.parametrize("way", ["chosen", "dropped"])
def test_a_folder_is_added_with_the_files_below_it(
    browser: Browser, tmp_path: Path, way: str
) -> None:
    folder = tmp_path / "handbook"
    (folder / "inns").mkdir(parents=True)
    (folder / "notes.txt").write_text("The Green Lantern Inn stands in Wick.", encoding="utf-8")
    inn = folder / "inns" / "notes.txt"
    inn.write_text("The Blue Heron Inn was founded by Tamsin Rook.", encoding="utf-8")
    (folder / "inns" / "damaged.pdf").write_bytes(b"%PDF-1.7 nothing of a PDF")
    (folder / ".hidden").write_text("Not to be sent.", encoding="utf-8")
    index_ships(tmp_path / "ships", Settings())
    with (
        serving_web(tmp_path, "--kb", "ships=ships") as server,
        visiting(browser, server.url) as visit,
    ):
        visit.show("Documents")
        visit.page.locator(".documents tbody tr").first.wait_for()
        if way == "chosen":
            visit.page.get_by_label("Add a folder").set_input_files(folder)
        else:
            drop(visit.page, folder)
        question = visit.page.get_by_role("dialog", name="Add the folder?")
        note = question.inner_text()
        assert "“handbook” has 3 files" in note
        assert "Hidden, and left out: 1 file." in note
        question.get_by_role("button", name="Add", exact=True).click()

        told = visit.page.locator(".folder")
        told.get_by_text("handbook: 2 of 3 files added, 1 not added").wait_for()
        assert told.locator("li").count() == 1
        assert "handbook/inns/damaged.pdf: not added" in told.locator("li").inner_text()
        rows = visit.page.locator(".documents tbody tr")
        rows.filter(has_text="uploads/handbook - notes.txt").wait_for()
        rows.filter(has_text="uploads/handbook - inns - notes.txt").wait_for()
        visit.show("Ask")
        visit.ask("Who founded the Blue Heron Inn?")
        assert visit.answer == "Tamsin Rook"


def drop(page: Page, path: Path) -> None:
    """Drop a file or folder of this machine on the page's place for files."""
    box = page.locator(".drop").bounding_box()
    assert box is not None
    at = {"x": box["x"] + 10, "y": box["y"] + 10}
    data: Any = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, **at, "data": data})


def test_a_file_without_text_is_named_with_its_reason(
    browser: Browser, address: str, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.pdf"
    damaged.write_bytes(b"%PDF-1.7 nothing of a PDF")
    with visiting(browser, address) as visit:
        visit.show("Documents")
        visit.page.get_by_label("Add files").set_input_files(damaged)

        visit.page.locator(".jobs").get_by_text("damaged.pdf: not added").wait_for()
        assert visit.page.locator(".jobs .error").count() == 1


def test_a_link_to_a_quote_of_a_long_document_shows_it(browser: Browser, address: str) -> None:
    with visiting(browser, address) as visit:
        start = len(LONG)

        visit.go(f"#/document?kb=ships&id=t%2Flong&start={start}&end={start + 12}")

        mark = visit.page.locator("mark")
        mark.wait_for()
        assert mark.inner_text() == "Quenby Voss "
        box = mark.bounding_box()
        assert box is not None and 0 < box["y"] < SIZES["wide"][1]
        visit.page.get_by_role("button", name="Earlier text").click()
        visit.page.get_by_text(re.compile(r"Characters [\d,]+ to [\d,]+ of [\d,]+")).wait_for()
        mark.wait_for(state="detached")


def test_a_quote_is_shown_on_its_page(visit: Visit) -> None:
    visit.ask("Where was the founder of the Quill Press born?")

    places = visit.page.locator(".steps .place").all_inner_texts()
    assert [place.rpartition(", ")[2] for place in places] == ["page 1", "page 2"]
    visit.page.locator(".steps .quote").nth(1).click()
    visit.page.locator("#source mark").wait_for()
    assert visit.page.locator("#source .place-name").all_inner_texts() == ["page 1", "page 2"]


def test_documents_of_markup_and_scripts_run_nothing(visit: Visit) -> None:
    visit.ask("Who founded the Yard that is of Mallory Crane?")
    visit.search("Mallory", "Mallory Crane")
    visit.page.locator(".passages .quote").first.click()
    visit.page.locator("#source .document-text").wait_for()
    visit.go("#/documents")
    visit.page.get_by_role("link", name="Hostile").click()
    visit.page.locator(".document-text").wait_for()

    assert "<script>" in visit.page.locator(".document-text").inner_text()
    assert visit.page.evaluate("window.ran") is None
    assert visit.page.locator("main script, main img, main svg").count() == 0


def test_headings_and_lists_are_shown_as_such_and_the_quote_exactly(visit: Visit) -> None:
    visit.go("#/document?kb=ships&id=t%2Fpier.md&start=18&end=45")

    text = visit.page.locator(".document-text")
    assert text.locator("h3").inner_text() == "The Pier <b>"
    assert text.locator("ul li").all_inner_texts() == ["It lies at Wick.", "It is of oak."]
    assert text.locator("mark").all_inner_texts() == ["It lies at Wick.", "It is of"]
    assert text.locator("b, script, img").count() == 0


def test_lines_that_were_broken_for_want_of_room_are_one_paragraph(visit: Visit) -> None:
    visit.go("#/document?kb=ships&id=t/wrapped.md")

    text = visit.page.locator("main .document-text")
    text.locator("li").first.wait_for()
    told = text.locator("p, li").all_inner_texts()
    assert [" ".join(one.split()) for one in told] == [
        "The laundry room is open from seven in the morning to ten in the evening. Whoever",
        "uses it leaves it clean.",
        "Ann Holt",
        "Caretaker",
        "Bicycles stand in the shed behind the house, and never in the hall or on the stairs.",
        "Dogs stay outside.",
        "```",
        "a line of code that is as long as a line of code may ever become",
        "here",
        "```",
    ]


def test_a_document_that_is_opened_from_the_list_shows_its_title(visit: Visit) -> None:
    visit.go("#/documents")
    visit.page.get_by_role("link", name="Long notes").click()

    title = visit.page.get_by_role("heading", name="Long notes")
    title.wait_for()
    visit.page.locator(".document-text:focus").wait_for()
    box, bar = title.bounding_box(), visit.page.locator("main").bounding_box()
    assert box is not None and bar is not None and box["y"] >= bar["y"]


def test_text_of_other_scripts_runs_in_its_own_direction(visit: Visit) -> None:
    visit.go("#/document?kb=ships&id=t/arabic.md")

    lines = visit.page.locator("main .document-text p")
    lines.nth(1).wait_for()
    read = "lines => lines.map(line => getComputedStyle(line).direction)"
    assert lines.evaluate_all(read) == ["rtl", "ltr"]
    assert visit.page.locator("main h1").evaluate("one => getComputedStyle(one).direction") == "rtl"


def test_an_answer_in_markdown_has_its_lists_and_tables(browser: Browser, tmp_path: Path) -> None:
    index_ships(tmp_path / "ships", Settings())
    with Hoptrail.open(tmp_path / "ships", writable=True, settings=Settings()) as hoptrail:
        hoptrail.communities()
    points = {"points": [{"text": "It tells of ships.", "helpfulness": 90, "reports": [1]}]}

    def script(body: dict[str, Any]) -> Any:
        return points if body.get("tools") else MARKDOWN

    with OpenAIStubServer(script) as model:
        variables = {"HOPTRAIL_BASE_URL": model.url, "HOPTRAIL_API_KEY": "key"}
        arguments = ("--kb", "ships=ships", "--model", "openai:stub", "--preset", "graphrag")
        with (
            serving_web(tmp_path, *arguments, **variables) as server,
            visiting(browser, server.url) as visit,
        ):
            visit.ask("What are the main themes of the whole collection?")

            text = visit.page.locator(".answer .text")
            assert text.locator("h3").inner_text() == "Ships and yards"
            assert text.locator("p").inner_text().startswith("The base tells of ships and <b>yards")
            assert text.locator("li").all_inner_texts() == ["The Morning Tern", "The Alder Yard"]
            assert text.locator("th").all_inner_texts() == ["Ship", "Year"]
            assert text.locator("td").all_inner_texts() == ["Morning Tern", "1871"]


def test_a_filter_is_chosen_from_the_fields_there_are(visit: Visit) -> None:
    visit.page.get_by_text("Choices").click()
    visit.page.get_by_role("button", name="Only some documents").click()
    visit.page.get_by_label("Field").select_option("title")
    visit.page.get_by_label("Comparison").select_option("contains")
    visit.page.get_by_label("Value", exact=True).fill("Alder")

    visit.ask("Who founded the Alder Yard?")

    assert visit.answer == "Edda Thorn"
    remark = visit.page.locator(".remark").inner_text()
    assert remark.endswith("of this filter alone: title contains Alder")


def test_a_condition_without_a_value_is_refused_with_a_line(visit: Visit) -> None:
    visit.page.get_by_text("Choices").click()
    visit.page.get_by_role("button", name="Only some documents").click()
    visit.page.get_by_label("Field").select_option("title")
    visit.page.get_by_label("Question").fill("Who founded the Alder Yard?")

    visit.page.get_by_role("button", name="Ask").click()

    told = visit.page.locator(".filter [role=alert]").inner_text()
    assert told == ("The condition on title has no value: fill it in, or remove the condition.")
    assert visit.page.locator(".answer").count() == 0


@pytest.mark.parametrize(
    ("comparison", "value"), [("is", "No such"), ("is at least", 'not "a" date')]
)
def test_an_error_of_a_filter_shows_neither_json_nor_a_command(
    visit: Visit, comparison: str, value: str
) -> None:
    visit.page.get_by_text("Choices").click()
    visit.page.get_by_role("button", name="Only some documents").click()
    visit.page.get_by_label("Field").select_option("title")
    visit.page.get_by_label("Comparison").select_option(comparison)
    visit.page.get_by_label("Value", exact=True).fill(value)
    visit.page.get_by_label("Question").fill("Who founded the Alder Yard?")

    visit.page.get_by_role("button", name="Ask").click()

    told = visit.page.locator(".turn [role=alert], .turn .error").first.inner_text()
    assert "filter" in told
    assert "{" not in told
    assert "hoptrail" not in told


def test_how_a_follow_up_was_understood_is_shown(visit: Visit) -> None:
    visit.ask(QUESTION)
    assert visit.page.locator(".understood").count() == 0

    visit.ask("Where was she born?")

    assert "Edda Thorn" in visit.page.locator(".understood").inner_text()


def test_why_a_file_could_not_be_read_is_still_told_after_a_reload(visit: Visit) -> None:
    visit.go("#/documents")
    file: Any = {"name": "torn.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.4 torn"}
    visit.page.get_by_label("Add files").set_input_files(file)
    failed = visit.page.locator(".jobs li", has_text="torn.pdf: not added")
    failed.first.wait_for()

    visit.page.reload()

    told = failed.get_by_role("alert").inner_text()
    assert told.startswith("not a readable PDF")
    assert "/" not in told


def test_what_came_of_a_file_can_be_put_away_for_good(
    visit: Visit, request: pytest.FixtureRequest
) -> None:
    visit.go("#/documents")
    # Names of this size's own: what came of the other size's files is told by the same server.
    size = request.node.callspec.params["visit"]
    torn: Any = {
        "name": f"away-{size}.pdf",
        "mimeType": "application/pdf",
        "buffer": b"%PDF-1.4 torn",
    }
    empty: Any = {"name": f"away-{size}.txt", "mimeType": "text/plain", "buffer": b""}
    lines = visit.page.locator(".jobs li", has_text=re.compile(rf"away-{size}\.(pdf|txt)"))
    for file in (torn, empty):
        visit.page.get_by_label("Add files").set_input_files(file)
        visit.page.locator(".jobs").get_by_text(f"{file['name']}: not added").wait_for()
    assert visit.page.locator(".jobs li", has_text=empty["name"]).get_by_role("alert").count() == 1

    for file in (torn, empty):
        visit.page.get_by_role("button", name=f"Dismiss {file['name']}").click()
    assert lines.count() == 0
    visit.page.reload()
    visit.page.locator(".documents").wait_for()
    visit.page.wait_for_load_state("networkidle")
    assert lines.count() == 0


def test_an_empty_base_and_a_missing_thread_say_what_to_do(visit: Visit) -> None:
    visit.page.get_by_label("Knowledge base").select_option("empty")
    visit.page.get_by_role("heading", name="This knowledge base is empty").wait_for()

    visit.go("#/thread/00000000-0000-4000-8000-000000000000")

    told = visit.page.get_by_role("alert").inner_text()
    assert told.startswith("This conversation is not here")
    assert "\n" not in told


@pytest.mark.parametrize(
    ("size", "scheme"), [("narrow", "light"), ("wide", "dark"), ("widest", "light")]
)
def test_axe_finds_no_serious_fault(browser: Browser, address: str, size: str, scheme: str) -> None:
    axe: Any = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found: list[tuple[str, str, str]] = []
    with visiting(browser, address, size, scheme) as visit:

        def check(view: str) -> None:
            report = axe.run(visit.page).response
            found.extend(
                (view, one["id"], one["nodes"][0]["html"])
                for one in report["violations"]
                if one["impact"] in ("serious", "critical")
            )

        visit.page.locator(".welcome").wait_for()
        check("welcome")
        visit.ask(QUESTION)
        visit.page.locator(".drawing svg").wait_for()
        visit.page.get_by_text("by step").click()
        visit.page.get_by_text("Choices").click()
        visit.page.get_by_role("button", name="Only some documents").click()
        visit.page.get_by_role("button", name="Correct or comment").click()
        check("answer")
        visit.page.get_by_role("button", name="Bad answer").click()
        visit.page.locator(".kept", has_text="Kept").wait_for()
        visit.page.get_by_text("Choices").click()
        visit.page.locator(".steps .quote").first.click()
        visit.page.locator("#source mark").wait_for()
        check("source")
        visit.page.keyboard.press("Escape")
        visit.go("#/browse")
        visit.page.get_by_role("link", name="Alder Yard", exact=True).click()
        visit.page.locator(".relations").wait_for()
        check("entity")
        visit.page.get_by_role("link", name="Show as a picture").click()
        visit.page.locator(".stage").wait_for()
        visit.page.locator(".graph .relations button").first.click()
        visit.page.locator(".told .quote").wait_for()
        check("picture")
        visit.go("#/documents")
        visit.page.locator(".documents").wait_for()
        check("documents")
        visit.go("#/review")
        visit.page.locator(".reviewed h3").first.wait_for()
        check("feedback")
        visit.page.keyboard.press("?")
        visit.page.locator("dialog.keys").wait_for()
        check("keys")
    assert found == []


def test_feedback_is_given_and_there_again_after_a_reload(
    browser: Browser, own_address: str
) -> None:
    with visiting(browser, own_address) as visit:
        visit.ask(QUESTION)
        page = visit.page
        page.get_by_role("button", name="Bad answer").click()
        page.get_by_label("The right answer").fill(SCRIPT)
        page.get_by_label("Comment").fill("see the book of the yard")
        page.get_by_role("button", name="Send").click()
        page.locator(".feedback form").wait_for(state="detached")

        page.reload()
        pressed = page.locator(".thumb[aria-pressed=true]")
        pressed.wait_for()
        assert pressed.get_attribute("aria-label") == "Bad answer"
        assert page.locator(".kept").inner_text() == f"You wrote: {SCRIPT}"

        visit.show("Feedback")
        page.locator(".reviewed h3").first.wait_for()
        told = page.locator(".reviewed").first.inner_text()
        assert f"Right: {SCRIPT}" in told
        assert "see the book of the yard" in told
        assert not page.evaluate("window.ran === true")
        page.get_by_role("button", name="Save the correction for all").click()
        saved = page.locator("h2 + .reviewed")
        saved.locator("h3").wait_for()
        assert SCRIPT in saved.inner_text()
        saved.get_by_role("button", name="Delete").click()
        saved.locator("h3").wait_for(state="detached")


def test_the_owner_sees_every_saved_answer(browser: Browser, tmp_path: Path) -> None:
    index_ships(tmp_path / "ships", hashing_settings())
    kept = SavedAnswers(FeedbackFile(tmp_path / "ships"))
    for number in range(520):
        question, when = f"Question {number}?", "2026-01-01T00:00:00"
        kept.put(SavedAnswer(f"{number}", question, "A", "ben", when, shared=True, corrected=True))
    with (
        web_server(tmp_path, {"ships": tmp_path / "ships"}) as server,
        visiting(browser, server.url) as visit,
    ):
        visit.show("Feedback")
        listed = visit.page.locator("h2 + .reviewed > li")
        for shown in range(50, 520, 50):
            listed.nth(shown - 1).wait_for()
            visit.page.get_by_role("button", name="Show more").click()

        listed.nth(519).wait_for()
        assert listed.last.get_by_role("heading").inner_text() == "Question 0?"


def test_a_saved_answer_is_shown_as_such_and_taken_back(browser: Browser, own_address: str) -> None:
    with visiting(browser, own_address) as visit:
        page = visit.page
        visit.ask("Who founded the Alder Yard?")
        page.get_by_role("button", name="Correct or comment").click()
        page.get_by_label("The right answer").fill(f"Edda {SCRIPT}")
        page.get_by_label("Give this answer").check()
        page.get_by_role("button", name="Send").click()
        page.locator(".kept", has_text="Saved").wait_for()
        page.reload()
        page.locator(".kept", has_text=f"Saved for this question: Edda {SCRIPT}").wait_for()
        assert page.get_by_role("button", name="Save this answer").count() == 0

        visit.ask("who founded the alder yard")
        assert visit.answer == f"Edda {SCRIPT}"
        line = page.locator(".saved").inner_text()
        assert "Saved on" in line
        assert "is not known to state it" in line
        assert page.locator(".turn").last.locator(".steps li").count() > 0

        page.get_by_role("button", name="Ask the documents").click()
        page.locator(".turn").nth(2).locator(".figures").wait_for()
        assert visit.answer == "Edda Thorn"

        page.get_by_role("button", name="Take back").click()
        page.get_by_text("No longer saved").first.wait_for()
        visit.ask("Who founded the Alder Yard?")
        assert visit.answer == "Edda Thorn"
        assert not page.evaluate("window.ran === true")


@pytest.mark.parametrize("size", ["narrow", "wide"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_formulas_of_an_answer_are_drawn_and_prices_are_not(
    browser: Browser, own_address: str, size: str, scheme: Any
) -> None:
    axe: Any = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    loaded: list[str] = []
    with visiting(browser, own_address, size, scheme) as visit:
        page = visit.page
        page.on("request", lambda request: loaded.append(request.url))
        visit.ask("Who founded the Alder Yard?")
        page.locator(".feedback").last.wait_for()
        assert not any("formulas" in url for url in loaded)
        page.get_by_role("button", name="Correct or comment").last.click()
        page.get_by_label("The right answer").fill(FORMULAS)
        page.get_by_label("Give this answer").check()
        page.get_by_role("button", name="Send").click()
        page.locator(".kept", has_text="Saved").wait_for()

        visit.ask("Who founded the Alder Yard?")
        page.locator(".formula math").nth(2).wait_for()

        assert page.locator(".formula math").count() == 3
        assert page.locator(".formula math[display=block] mfrac").count() == 1
        text = page.locator(".answer .text").last
        assert "costs $5 to $10" in text.inner_text()
        assert text.locator("li").all_inner_texts() == ["Luigi: $$", "Mario: $$ ($20-25 a night)"]
        assert text.locator(".formula").last.inner_text() == rf"$\text{{{SCRIPT}}}$"
        assert text.locator("b").inner_text() == "bold"
        assert not page.evaluate("window.ran === true")
        violations = axe.run(page).response["violations"]
        assert [one["id"] for one in violations if one["impact"] in ("serious", "critical")] == []
        page.get_by_role("button", name="Take back").last.click()
        page.get_by_text("No longer saved").first.wait_for()


def test_single_keys_do_what_clicks_do_and_can_be_turned_off(
    browser: Browser, address: str
) -> None:
    with visiting(browser, address) as visit:
        page = visit.page
        visit.ask(QUESTION)
        page.get_by_label("Question").press("d")
        assert page.get_by_label("Question").input_value() == "d"
        page.get_by_label("Question").fill("")
        page.locator("#main").focus()

        page.keyboard.press("o")
        page.locator("#source mark").wait_for()
        page.keyboard.press("Escape")
        page.locator("#source mark").wait_for(state="hidden")
        page.locator("#main").focus()
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "question"
        page.locator("#main").focus()
        page.keyboard.press("?")
        page.get_by_label("Use single keys").uncheck()
        page.get_by_role("button", name="Close").click()
        page.locator("#main").focus()
        page.keyboard.press("d")
        page.keyboard.press("?")
        page.get_by_label("Use single keys").check()
        page.get_by_role("button", name="Close").click()
        assert "#/documents" not in page.url
        page.locator("#main").focus()
        page.keyboard.press("d")
        page.locator(".documents").wait_for()


def test_a_conversation_is_printed_with_its_trails_alone(browser: Browser, address: str) -> None:
    with visiting(browser, address, scheme="dark") as visit:
        visit.ask(QUESTION)
        visit.page.locator(".drawing svg").wait_for()
        visit.page.emulate_media(media="print")

        for hidden in (".bar", "#side", ".composer", ".feedback"):
            assert not visit.page.locator(hidden).first.is_visible()
        assert visit.page.locator(".steps .quote").first.is_visible()
        paper = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == "rgb(255, 255, 255)"


def test_the_page_speaks_the_language_of_the_browser_and_the_chosen_one(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(locale="de-DE")
    try:
        page = context.new_page()
        page.goto(f"{address}/")
        page.get_by_label("Frage").fill(QUESTION)
        page.keyboard.press("Enter")
        page.locator(".figures").wait_for()
        assert page.locator("html").get_attribute("lang") == "de"
        assert page.locator(".steps .state").first.inner_text() == "1 · belegt"
        assert page.locator(".answer .text").inner_text() == "Edda Thorn"
        assert "Mit Belegen kopieren" in page.locator(".figures").inner_text()

        page.get_by_label("Sprache").select_option("fr")
        page.get_by_text("Copier avec les citations").wait_for()
        page.get_by_role("link", name="Parcourir", exact=True).click()
        page.get_by_label("Que connaît-elle ?").wait_for()
    finally:
        context.close()


def test_the_chosen_colours_last(browser: Browser, address: str) -> None:
    with visiting(browser, address, scheme="light") as visit:
        visit.page.get_by_label("Colours").select_option("dark")
        dark = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        visit.page.reload()

        assert visit.page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
        assert dark != "rgb(255, 255, 255)"


def test_a_question_that_is_stopped_can_be_asked_again(browser: Browser, tmp_path: Path) -> None:
    index_ships(tmp_path / "ships", Settings())
    asked, may_answer = threading.Event(), threading.Event()

    def script(body: dict[str, Any]) -> str:
        asked.set()
        may_answer.wait(60)
        return REPLY if "FINAL ANSWER" in str(body["messages"]) else "bridge"

    with OpenAIStubServer(script) as model:
        variables = {"HOPTRAIL_BASE_URL": model.url, "HOPTRAIL_API_KEY": "key"}
        arguments = ("--kb", "ships=ships", "--model", "openai:stub", "--preset", "reasoning")
        with (
            serving_web(tmp_path, *arguments, **variables) as server,
            visiting(browser, server.url) as visit,
        ):
            visit.page.get_by_label("Question").fill(QUESTION)
            visit.page.keyboard.press("Enter")
            assert asked.wait(60)

            visit.page.get_by_role("button", name="Stop").click()

            visit.page.get_by_text("Stopped.").first.wait_for()
            assert visit.page.get_by_label("Question").input_value() == QUESTION
            visit.page.reload()
            visit.page.get_by_text("Nothing was answered here yet").wait_for()
            assert visit.page.get_by_label("Question").input_value() == QUESTION
            may_answer.set()
            visit.ask(QUESTION)
            assert visit.answer == "Edda Thorn"

            may_answer.clear()
            asked.clear()
            visit.page.get_by_label("Question").fill(NEXT_QUESTION)
            visit.page.keyboard.press("Enter")
            assert asked.wait(60)
            visit.page.reload()
            visit.page.locator(".turn", has_text="Edda Thorn").first.wait_for()
            assert visit.page.get_by_label("Question").input_value() == NEXT_QUESTION
            may_answer.set()


def test_the_draft_of_a_small_model_is_shown_before_it_is_checked(
    browser: Browser, tmp_path: Path
) -> None:
    index_ships(tmp_path / "ships", Settings())
    with OpenAIStubServer(slow("Brackenholm in 1809", 0.5)) as model:
        variables = {
            "HOPTRAIL_BASE_URL": model.url,
            "HOPTRAIL_API_KEY": "key",
            "HOPTRAIL_SMALL_MODEL": "true",
        }
        arguments = ("--kb", "ships=ships", "--model", "openai:stub", "--preset", "quick")
        with (
            serving_web(tmp_path, *arguments, **variables) as server,
            visiting(browser, server.url) as visit,
        ):
            visit.page.get_by_label("Question").fill("Where was Edda Thorn born?")
            visit.page.keyboard.press("Enter")

            visit.page.get_by_text("Writing a draft, to be checked").wait_for()
            visit.page.locator(".draft", has_text="Brackenholm").wait_for()
            visit.page.locator(".turn .figures").wait_for()
            assert visit.answer == "Brackenholm in 1809"


def test_a_key_is_asked_for_until_it_is_the_right_one(
    browser: Browser, ships: Path, tmp_path: Path
) -> None:
    with (
        web_server(tmp_path, {"ships": ships}, keys={"anna": {}}) as server,
        visiting(browser, server.url) as visit,
    ):
        field = visit.page.get_by_label("This server asks for your key").locator("input")
        field.fill("hoptrail-wrong")
        visit.page.keyboard.press("Enter")
        visit.page.get_by_text("That key is not known here").wait_for()

        field.fill(server.keys["anna"])
        visit.page.keyboard.press("Enter")
        visit.ask(QUESTION)

        assert visit.answer == "Edda Thorn"
        visit.page.reload()
        visit.page.locator(".turn .figures").wait_for()


def test_it_works_under_a_path_that_a_proxy_takes_off(
    browser: Browser, ships: Path, tmp_path: Path
) -> None:
    def proxy(route: Route, request: Request) -> None:
        from playwright.sync_api import Error

        with suppress(Error):  # the page may be closed while it still asks
            route.fulfill(response=route.fetch(url=request.url.replace("/trail/", "/", 1)))

    with (
        web_server(tmp_path, {"ships": ships}, root_path="/trail") as server,
        visiting(browser, server.url) as visit,
    ):
        visit.page.route("**/trail/**", proxy)
        visit.address = f"{server.url}/trail"
        visit.go()
        visit.ask(QUESTION)

        visit.page.locator(".drawing svg").wait_for()
        assert "/trail/#/thread/" in visit.page.url


def test_the_page_is_painted_before_any_other_file_has_come(browser: Browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.route("**/static/**", lambda route: None)

    page.goto(address, wait_until="commit")

    # The page's own policy lets no function be waited for within it.
    painted = "performance.getEntriesByName('first-contentful-paint').length > 0"
    wait_for(lambda: page.evaluate(painted), "nothing was painted")
    assert page.evaluate("getComputedStyle(document.body).display") == "flex"
    context.close()


def test_a_page_that_the_browser_has_kept_looks_and_works_the_same(visit: Visit) -> None:
    visit.go()

    visit.page.get_by_role("heading", name="Ask something").wait_for()
    assert visit.page.evaluate("getComputedStyle(document.body).display") == "flex"


def test_the_page_weighs_at_most_150_kilobytes() -> None:
    files = {path.name: path.stat().st_size for path in STATIC.iterdir()}
    for name in LATER:
        del files[name]
    catalogues = [
        files.pop(name) for name in [*files] if name.startswith("words.") and "json" in name
    ]
    assert 0 < sum(files.values()) + max(catalogues) <= 150_000  # one language at most is loaded


def test_all_modules_are_loaded_at_once_and_not_one_after_another() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    named = set(re.findall(r'(?:href|src)="static/(\w+\.js)"', page))
    assert named == {path.name for path in STATIC.glob("*.js")} - LATER


def test_the_picture_of_the_graph_weighs_at_most_60_kilobytes() -> None:
    assert 0 < sum((STATIC / name).stat().st_size for name in GRAPH) <= 60_000
