"""Countries and what their people are called: "France" and "French" answer "what nationality"."""

from __future__ import annotations

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
