import pytest

from hoptrail.agents.language.first_names import full_name, is_first_name


@pytest.mark.parametrize(
    ("short", "text"),
    [
        ("Omar", "Omar Haddad took over. Omar studied in Manchester."),
        ("Graham", "Present: Ann Lowe, Graham Tull\n1. Graham's riser is ready."),
        ("Lucy", "Lucy Penn (secretary)\nDear Lucy, the deposit is due."),
        ("Ann", "Dr Ann Mary Holt is back. Ann's ship sails at noon."),
        ("Ivy", "Ivy Chandra, who sings alto, met us. Ivy's poem was read."),
    ],
)
def test_a_first_name_means_the_person_whom_the_text_names_in_full(short: str, text: str) -> None:
    name = full_name(short, text)
    assert name is not None
    assert name.startswith(f"{short} ")


@pytest.mark.parametrize(
    ("short", "text"),
    [
        ("Manchester", "Manchester United won. Manchester lies on the Irwell."),
        ("Marlowe", "Marlowe Mutual insures us. The policy of Marlowe runs for a year."),
        ("Stonebridge", "Stonebridge School told us so. Stonebridge said no."),
        ("Omar", "Omar Haddad and Omar Sharif met. Omar said hello."),
        ("Omar", "Omar said hello."),
        ("Omar Haddad", "Omar Haddad said hello."),
    ],
)
def test_without_a_sign_of_one_person_a_word_stays_what_it_is(short: str, text: str) -> None:
    assert full_name(short, text) is None


def test_a_first_name_is_the_first_word_of_the_name() -> None:
    assert not is_first_name("Haddad", "Omar Haddad", "Omar Haddad said hello. Haddad left.")
