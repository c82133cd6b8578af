"""Whether two short answers have the same value, however it is written: numbers, dates, lists."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal

from hoptrail.agents.language.number_words import NUMBER_WORDS
from hoptrail.core.text import normalize_answer
from hoptrail.eval.metrics.answer_scores import GoldSet

Value = tuple[object, ...]
"""Comparable form: ("number", amount, unit), ("date", year, month, day) or ("words", text)."""

_PEOPLE = """
afghanistan: afghan, afghani | albania: albanian | algeria: algerian | andorra: andorran
angola: angolan | argentina: argentine, argentinian | armenia: armenian | australia: australian
austria: austrian | azerbaijan: azerbaijani | bahamas: bahamian | bahrain: bahraini
bangladesh: bangladeshi | barbados: barbadian | belarus: belarusian | belgium: belgian
belize: belizean | benin: beninese | bhutan: bhutanese | bolivia: bolivian
bosnia and herzegovina, bosnia: bosnian | botswana: botswanan | brazil: brazilian
brunei: bruneian | bulgaria: bulgarian | burkina faso: burkinabe | burundi: burundian
cambodia: cambodian | cameroon: cameroonian | canada: canadian | cape verde: cape verdean
chad: chadian | chile: chilean | china, peoples republic of china: chinese | colombia: colombian
costa rica: costa rican | croatia: croatian, croat | cuba: cuban | cyprus: cypriot
czech republic, czechia: czech | czechoslovakia: czechoslovak, czechoslovakian
denmark: danish, dane | dominican republic: dominican | east germany: east german
ecuador: ecuadorian | egypt: egyptian | el salvador: salvadoran | england: english
eritrea: eritrean | estonia: estonian | ethiopia: ethiopian | fiji: fijian
finland: finnish, finn | france: french, frenchman, frenchwoman | gabon: gabonese
gambia: gambian | georgia: georgian | germany: german | ghana: ghanaian | greece: greek
grenada: grenadian | guatemala: guatemalan | guinea: guinean | guyana: guyanese | haiti: haitian
honduras: honduran | hungary: hungarian | iceland: icelandic, icelander | india: indian
indonesia: indonesian | iran: iranian, persian | iraq: iraqi
ireland, republic of ireland: irish, irishman, irishwoman | israel: israeli | italy: italian
ivory coast, cote divoire: ivorian | jamaica: jamaican | japan: japanese | jordan: jordanian
kazakhstan: kazakh, kazakhstani | kenya: kenyan | kosovo: kosovan, kosovar | kuwait: kuwaiti
kyrgyzstan: kyrgyz | laos: laotian, lao | latvia: latvian | lebanon: lebanese
liberia: liberian | libya: libyan | liechtenstein: liechtensteiner | lithuania: lithuanian
luxembourg: luxembourgish, luxembourger | madagascar: malagasy | malawi: malawian
malaysia: malaysian | maldives: maldivian | mali: malian | malta: maltese
mauritania: mauritanian | mauritius: mauritian | mexico: mexican | moldova: moldovan
monaco: monegasque, monacan | mongolia: mongolian | montenegro: montenegrin
morocco: moroccan | mozambique: mozambican | myanmar, burma: burmese | namibia: namibian
nepal: nepalese, nepali | netherlands, holland: dutch, dutchman, dutchwoman
new zealand: new zealander | nicaragua: nicaraguan | niger: nigerien | nigeria: nigerian
north korea: north korean | north macedonia, macedonia: macedonian | norway: norwegian
oman: omani | pakistan: pakistani | palestine: palestinian | panama: panamanian
papua new guinea: papua new guinean | paraguay: paraguayan | peru: peruvian
philippines: filipino, filipina, philippine | poland: polish, pole | portugal: portuguese
prussia: prussian | puerto rico: puerto rican | qatar: qatari | romania: romanian
russia, russian federation: russian | rwanda: rwandan | samoa: samoan | san marino: sammarinese
saudi arabia: saudi, saudi arabian | scotland: scottish, scot, scots | senegal: senegalese
serbia: serbian, serb | sierra leone: sierra leonean | singapore: singaporean
slovakia: slovak, slovakian | slovenia: slovene, slovenian | somalia: somali
south africa: south african | south korea: south korean
soviet union, ussr: soviet | spain: spanish, spaniard | sri lanka: sri lankan | sudan: sudanese
suriname: surinamese | sweden: swedish, swede | switzerland: swiss | syria: syrian
taiwan: taiwanese | tajikistan: tajik | tanzania: tanzanian | thailand: thai | togo: togolese
trinidad and tobago: trinidadian | tunisia: tunisian | turkey, turkiye: turkish, turk
turkmenistan: turkmen | uganda: ugandan | ukraine: ukrainian
united arab emirates: emirati
united kingdom, uk, great britain, britain: british, briton
united states, united states of america, us, usa, america: american
uruguay: uruguayan | uzbekistan: uzbek | venezuela: venezuelan | vietnam: vietnamese
wales: welsh, welshman, welshwoman | west germany: west german | yemen: yemeni
yugoslavia: yugoslav, yugoslavian | zambia: zambian | zimbabwe: zimbabwean
"""
"""Names of a country, a colon, and the adjectives and nouns of its people, in SQuAD's form."""

_LONGEST = 300  # characters of an answer that are read as a value; a longer one is prose
_ASKS_FOR_NATIONALITY = re.compile(r"\b(?:nationalit(?:y|ies)|citizenships?)\b", re.IGNORECASE)
_SEPARATORS = re.compile(r";|\n|&|,(?!\d{3}(?!\d))|\b(?:and)\b", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W\d_]+|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[^\w\s]")
_LEADING = frozenset({"in", "on", "the", "a", "an"})
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}

_SCALES = {
    "hundred": Decimal(100),
    "thousand": Decimal(1000),
    "million": Decimal(10**6),
    "billion": Decimal(10**9),
    "trillion": Decimal(10**12),
}

_SMALL_ALONE = [[word] for word in NUMBER_WORDS]

_SIGNS = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen", "%": "percent"}
_UNITS = {
    "km": "kilometer",
    "kilometre": "kilometer",
    "m": "meter",
    "metre": "meter",
    "cm": "centimeter",
    "centimetre": "centimeter",
    "kg": "kilogram",
    "kilo": "kilogram",
    "ft": "foot",
    "feet": "foot",
    "lb": "pound",
    "usd": "dollar",
    "eur": "euro",
    "gbp": "pound",
    "min": "minute",
    "hr": "hour",
    "sec": "second",
}
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})


def same_value(answer: str, gold: GoldSet, question: str = "") -> bool:
    """Return whether an answer has the value of the gold answers.

    Equal are numbers and dates by what they count ("1,200" and "1200", "twelve" and "12", "12 March
    1898" and "1898-03-12"), lists without regard to order and joining words ("1898; 1959" and "1959
    and 1898"), and where the question asks for a nationality, a country and its people's adjective.
    A coarser or finer date, a number of another unit and a part of a list are other values. All
    else is compared after SQuAD normalisation.

    Args:
        answer: As a system gave it.
        gold: All gold answers, each with its accepted forms; the answer must have every one.
        question: Tells whether a nationality is asked for.
    """
    as_people = bool(_ASKS_FOR_NATIONALITY.search(question))
    wanted = [[_items(form, as_people) for form in forms] for forms in gold]
    given = _items(answer, as_people)
    if not given:
        return False
    if len(wanted) == 1:
        return given in wanted[0]
    # A gold answer of several may itself be a list, so its items are taken out as one.
    rest = set(given)
    for forms in wanted:
        found = next((form for form in forms if form and form <= given), None)
        if found is None:
            return False
        rest -= found
    return not rest


def _items(text: str, as_people: bool) -> frozenset[Value]:
    """Return the values of a list, or the one value of anything else; empty for no words."""
    text = unicodedata.normalize("NFKC", text).strip()
    if len(text) > _LONGEST:
        return frozenset({("words", normalize_answer(text))})
    whole = _value(text, as_people)
    if whole[0] != "words" or (as_people and country_of(normalize_answer(text))):
        return frozenset({whole})
    parts = (part for part in _joined_dates(_SEPARATORS.split(text)) if normalize_answer(part))
    return frozenset(_value(part, as_people) for part in parts)


def _joined_dates(parts: Iterable[str]) -> list[str]:
    """Return the parts of a list, a year behind a comma again with its day: "March 12", "1898"."""
    joined: list[str] = []
    for part in parts:
        both = f"{joined[-1]}, {part}" if joined else part
        value = _date(_tokens(both)) if joined and part.strip().isdigit() else None
        before = _date(_tokens(joined[-1])) if joined else None
        if value is not None and before is not None and before[1] is None:
            joined[-1] = both
        else:
            joined.append(part)
    return joined


def _value(text: str, as_people: bool) -> Value:
    found = _number_or_date(text)
    if found is not None:
        return found
    words = normalize_answer(text)
    return "words", (country_of(words) or words) if as_people else words


def _number_or_date(text: str) -> Value | None:
    tokens = _tokens(text)
    return _date(tokens) or _number(tokens)


def _tokens(text: str) -> list[str]:
    """Return the lower-cased words, numbers and signs of a text, without a leading "in the"."""
    tokens = [token.casefold() for token in _TOKEN.findall(text)]
    while tokens and tokens[-1] in {".", "!", "?"}:
        tokens.pop()
    while len(tokens) > 1 and tokens[0] in _LEADING:
        tokens.pop(0)
    return tokens


def _date(tokens: list[str]) -> Value | None:
    """Return ("date", year, month, day) of tokens that spell nothing but a date with a month.

    A year alone is a number. Days and months in figures are read in the order of ISO 8601 only:
    "03/04/1898" is another day in another country.
    """
    if len(tokens) == 5 and tokens[1] == tokens[3] == "-" and len(tokens[0]) == 4:
        figures = [tokens[place] for place in (0, 2, 4)]
        if all(figure.isdecimal() for figure in figures) and int(figures[1]) in range(1, 13):
            return "date", *map(int, figures)
        return None
    words = [token for token in tokens if token not in {",", ".", "of", *_ORDINAL_ENDINGS}]
    months = [token for token in words if token in _MONTHS]
    figures = [token for token in words if token.isdecimal()]
    if len(months) != 1 or not figures or len(words) != 1 + len(figures):
        return None
    years = [int(figure) for figure in figures if len(figure) == 4]
    days = [int(figure) for figure in figures if len(figure) < 3]
    if len(years) > 1 or len(days) > 1 or len(years) + len(days) != len(figures):
        return None
    year, on = (found[0] if found else None for found in (years, days))
    return "date", year, _MONTHS[months[0]], on


def _number(tokens: list[str]) -> Value | None:
    """Return ("number", amount, unit) of tokens that spell an amount and at most one unit."""
    sign = 1
    rest = list(tokens)
    unit = _SIGNS.get(rest[0], "") if rest else ""
    if unit and unit != "percent":
        rest.pop(0)
    if len(rest) > 1 and rest[0] in {"-", "−"}:
        sign = -1
        rest.pop(0)
    amount, used = _amount(rest)
    if amount is None:
        return None
    behind = [token for token in rest[used:] if token != "-"]
    if behind[:2] == ["per", "cent"]:
        behind[:2] = ["percent"]
    if len(behind) > 1 or (behind and unit and _unit(behind[0]) != unit):
        return None
    if behind and behind[0] not in _SIGNS and not behind[0].isalpha():
        return None
    return "number", (sign * amount).normalize(), _unit(behind[0]) if behind else unit


def _amount(tokens: list[str]) -> tuple[Decimal | None, int]:
    """Return the amount that the first tokens spell, and how many these are."""
    total, part = Decimal(0), Decimal(0)
    used = 0
    for place, token in enumerate(tokens):
        if token in {"-", "and"} and used and tokens[place + 1 : place + 2] in _SMALL_ALONE:
            continue
        if token in NUMBER_WORDS:
            part += NUMBER_WORDS[token]
        elif token in _SCALES and used:
            part *= _SCALES[token]
            if _SCALES[token] > 100:
                total, part = total + part, Decimal(0)
        elif token[0].isdecimal() and not used:
            part = Decimal(token.replace(",", ""))
        else:
            break
        used = place + 1
    return (total + part, used) if used else (None, 0)


def _unit(token: str) -> str:
    """Return one name for the spellings of a unit: "kilometres" and "km", "%" and "percent"."""
    name = _SIGNS.get(token, token)
    singular = name[:-1] if len(name) > 2 and name.endswith("s") else name
    return _UNITS.get(name) or _UNITS.get(singular) or singular


def _table() -> dict[str, str]:
    countries = {}
    for entry in _PEOPLE.replace("\n", "|").split("|"):
        names, _, people = entry.partition(":")
        spelled = [name.strip() for name in (*names.split(","), *people.split(",")) if name.strip()]
        countries.update(dict.fromkeys(spelled, spelled[0] if spelled else ""))
    return countries


_COUNTRY_OF = _table()


def country_of(words: str) -> str | None:
    """Return the country of a name or nationality in SQuAD's normal form, None where unknown."""
    return _COUNTRY_OF.get(words)
