"""Names that everybody knows to be countries or states: texts use them without saying so."""

from __future__ import annotations

_COUNTRIES = """
afghanistan|albania|algeria|america|andorra|angola|antigua and barbuda|argentina|armenia|australia
austria|azerbaijan|bahamas|bahrain|bangladesh|barbados|belarus|belgium|belize|benin|bermuda|bhutan
bolivia|bosnia and herzegovina|botswana|brazil|brunei|bulgaria|burkina faso|burma|burundi|cambodia
cameroon|canada|cape verde|central african republic|chad|chile|china|colombia|comoros|congo
costa rica|croatia|cuba|cyprus|czech republic|czechia|democratic republic of the congo|denmark
djibouti|dominica|dominican republic|east germany|east timor|ecuador|egypt|el salvador|england
equatorial guinea|eritrea|estonia|eswatini|ethiopia|falkland islands|fiji|finland|france|gabon
gambia|georgia|germany|ghana|greece|greenland|grenada|guatemala|guinea|guinea bissau|guyana|haiti
honduras|hong kong|hungary|iceland|india|indonesia|iran|iraq|ireland|israel|italy|ivory coast
jamaica|japan|jordan|kazakhstan|kenya|kiribati|kosovo|kuwait|kyrgyzstan|laos|latvia|lebanon|lesotho
liberia|libya|liechtenstein|lithuania|luxembourg|macedonia|madagascar|malawi|malaysia|maldives|mali
malta|marshall islands|mauritania|mauritius|mexico|micronesia|moldova|monaco|mongolia|montenegro
morocco|mozambique|myanmar|namibia|nauru|nepal|netherlands|new zealand|nicaragua|niger|nigeria
north korea|north macedonia|northern ireland|norway|oman|pakistan|palau|palestine|panama
papua new guinea|paraguay|people s republic of china|peru|philippines|poland|portugal|qatar
republic of ireland|romania|russia|rwanda|saint kitts and nevis|saint lucia
saint vincent and the grenadines|samoa|san marino|saudi arabia|scotland|senegal|serbia|seychelles
sierra leone|singapore|slovakia|slovenia|solomon islands|somalia|south africa|south korea
south sudan|soviet union|spain|sri lanka|sudan|suriname|sweden|switzerland|syria|taiwan|tajikistan
tanzania|thailand|togo|tonga|trinidad and tobago|tunisia|turkey|turkmenistan|tuvalu|u s|uganda|uk
ukraine|united arab emirates|united kingdom|united states|united states of america|uruguay|us|usa
uzbekistan|vanuatu|vatican city|venezuela|vietnam|wales|west germany|yemen|yugoslavia|zambia
zimbabwe
"""
_STATES = """
alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|hawaii
idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan
minnesota|mississippi|missouri|montana|nebraska|nevada|new hampshire|new jersey|new mexico|new york
north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|rhode island|south carolina
south dakota|tennessee|texas|utah|vermont|virginia|washington|west virginia|wisconsin|wyoming
new south wales|queensland|south australia|tasmania|victoria|western australia
andhra pradesh|assam|bihar|gujarat|karnataka|kerala|madhya pradesh|maharashtra|odisha|punjab
rajasthan|tamil nadu|telangana|uttar pradesh|west bengal
"""
_PROVINCES = """
alberta|british columbia|manitoba|new brunswick|newfoundland and labrador|nova scotia|ontario
prince edward island|quebec|saskatchewan
"""


def _names(text: str) -> frozenset[str]:
    return frozenset(name for line in text.split("\n") for name in line.split("|") if name)


_KINDS = (
    ("country", _names(_COUNTRIES)),
    ("state", _names(_STATES)),
    ("province", _names(_PROVINCES)),
)


def known_kinds(key: str) -> frozenset[str]:
    """Return what a `name_key` is commonly known to be: "country", "state", "province" or none."""
    return frozenset(kind for kind, names in _KINDS if key in names)
