"""When two entity types say the same, say nothing, or contradict each other."""

from __future__ import annotations

from functools import cache

from hoptrail.core.text import name_key

_FAMILIES = {
    "person": """person, people, human, individual, character, actor, actress, author, politician,
        artist, musician, writer, singer, director, athlete, scientist""",
    "place": """place, location, geo, gpe, city, country, state, region, town, village, landmark,
        geographical area, geographic location, building, venue, structure, facility, site, house,
        theatre, theater, opera house, concert hall, hall, stadium, arena, museum, station, airport,
        bridge, tower, park, church, castle, palace, hotel, hospital, library, monument""",
    "organization": """organization, organisation, org, company, corporation, institution, group,
        agency, business, university, school, team, band""",
    "time": "time, date, year, datetime, period, era, day, month",
    "number": "number, quantity, amount, percentage, money, numeric value, cardinal",
    "work": """work, creative work, film, movie, book, novel, song, album, series, play, artwork,
        work of art, television series, tv series, publication""",
    "event": "event, war, battle, tournament, festival, competition",
    "": "entity, other, thing, misc, miscellaneous, unknown, none, object, concept",
}
_FAMILY_OF = {
    " ".join(name.split()): family
    for family, names in _FAMILIES.items()
    for name in names.split(",")
}


@cache
def type_family(name: str) -> str:
    """Return the family of a type's name, so that "City" and "location" agree; "" says nothing."""
    key = name_key(name)
    return _FAMILY_OF.get(key, key)
