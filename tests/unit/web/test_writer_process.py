from hoptrail.web.writer_process import notes_on_namesakes


def test_a_file_of_another_folder_with_the_same_name_is_named() -> None:
    known = ["club/lists/plots.csv", "uploads/plots.csv", "club/allplots.csv"]

    [note] = notes_on_namesakes("uploads/plots.csv", known)

    assert note.startswith("the base also has club/lists/plots.csv, which was not replaced")


def test_what_was_uploaded_before_is_replaced_and_not_told() -> None:
    assert notes_on_namesakes("uploads/plots.csv", ["uploads/plots.csv"]) == []


def test_parts_of_a_file_are_its_documents_and_many_are_counted() -> None:
    known = [f"club/mail.mbox/{number}" for number in range(1, 6)]

    [note] = notes_on_namesakes("uploads/mail.mbox", known)

    assert "club/mail.mbox/1, club/mail.mbox/2, club/mail.mbox/3 and 2 more" in note
