"""Function words of the languages in which digests are checked, and words of the first person, for regular expressions that ignore case."""

FUNCTION_WORDS = frozenset(
    """
    der die das dem den des ein eine einen einem einer eines er sie es wir ihr ihre ihren ihrem ihrer sein seine seinen mein
    meine meinen meiner dein deine ich du mich mir dich dir ihm ihn ihnen uns unser und oder aber auch als wenn weil dass nicht
    am im in an auf aus bei mit nach von vor zu zum zur für über um bis seit wegen ist sind war waren bin hat haben hatte wird
    le la les l un une des du de d au aux et ou mais je tu il elle on nous vous ils elles mon ma mes ton ta tes son sa ses est
    sont était ai as a ont que qui dans sur pour avec sans chez ce cet cette ces ne pas
    el los las una unos unas del al y o pero yo tú él ella ellos su sus mi mis tus es son era fue he ha han en con por para sin
    lo gli i uno e ma io lui lei noi voi loro mio mia tuo sono è ho hai abbiamo di da per tra nel della
    het een van voor met op te ik jij hij zij wij mijn jouw zijn niet os um uma eu você ele ela meu minha seu sua não com em
    gestern heute morgen später dann danach hier ayer ieri oggi
    yesterday today tomorrow tonight later finally meanwhile afterwards earlier next since although though despite instead
    however currently recently besides together like unlike according eventually originally overall neither either everyone
    nobody someone another many several among within without around near upon regarding whether nothing everything something
    anyone
    """.split()
)
ARTICLES = frozenset(
    """
    der die das dem den des ein eine mein meine von vom le la les un une du de des mon ma mes el los las una del mi mis il lo gli
    """.split()
)
"""What a thing is named with, of other languages than English; none is a first name."""

SPEAKER = r"i|ich|je|j(?=['’])|yo|io"
"""The speaker as the subject."""
SUBJECTS = rf"{SPEAKER}|we|wir|nous|nosotr[oa]s|noi"
"""The subject, alone or with others."""
_MIA = r"(?-i:mia)|mia(?= (?:madre|mamma|sorella|figlia|moglie|nonna|zia|cugina|amica)\b)"
"""Italian "mia": with a capital, it is a name rather than the beginning of a sentence."""
POSSESSIVES = rf"my|mine|our|mein\w*|unser\w*|m(?:on|a|es)|notre|nos|mis?|nuestr[oa]s?|mio|{_MIA}|nostr[oaie]"
"""Whose something is, alone or with others."""
FIRST_PERSON = rf"{SUBJECTS}|{POSSESSIVES}"
