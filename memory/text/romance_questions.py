"""French and Spanish sentences that ask although no question mark says so, as people type them: "c quand mon rdv", "a q hora sale".

French asks as often at the end ("tu habites où") as at the beginning; both languages open statements with their question words,
too: exclamations ("quelle journée", "qué calor") and clauses of time ("quand j'étais petite", "cuando vivía en Cádiz").
"""

import re

_ASKED = r"(?:qui|quoi|où|quand|comment|combien|lequel|laquelle|quel(?:le)?s?)"
_CLITIC = r"(?:j['’]|je|tu|t['’]|il|elle|on|ils|elles|nous|vous|ça|ca)"
_IS = r"(?:c|s|ct|c['’](?:est|était|etait|sera)|ce\s+sera)"
_OF_MINE = r"(?:mon|ma|mes|le|la|les|l['’]|notre|nos|son|sa|ses)\s*"
_LEAD = re.compile(
    r"(?i)^(?:(?:coucou|salut|slt|bonjour|hola|buenas|et|mais|alors|du\s+coup|au\s+fait|sinon|bon|euh|dis(?!\s+moi)|y(?!\s?['’]?a\b)|oye|pues|entonces|bueno|a\s+ver|por\s+cierto)[,\s]+)+"
)
_KNOWN = re.compile(
    r"(?i)\b(?:sai[st]|savai[st]|savoir|(?:souvien[st]|rappelle)\s+(?:plus|pas)|ignore|oublié|importe|comprend[s]?|demande|voi[rst]|imagine[sz]?|devine[zr]?)\b"
)
"""Before a question word, what makes it an indirect question or an indefinite: "je sais plus où", "n'importe qui"."""

_FRENCH = re.compile(
    rf"""(?ix)^(?:
      (?:qu['’]?\s*)?est[\s-]+ce\b | qu['’]?est[\s-]ce\b | (?:keskil|kesk|qu['’](?:as|ai|a|avons|avez|ont)\b)
      | (?:\w+['’])?\w+-(?:t-)?(?:je|tu|il|elle|on|nous|vous|ils|elles)\b (?<!dit-il)(?<!dit-elle)(?<!dis-je)
      | (?:d['’]|(?:à|a|de|avec|pour|chez|depuis|en|sur|dans|par|jusqu['’]à)\s+)(?:qui|quoi|quel(?:le)?s?|où|quand|combien)\s+\w
      | qui\s+(?!sai[st]\b|veut\s+la\s+paix|plus\b|dit\s+mieux|dort\b|vivra\b|l['’]eût)(?:[mtlsy]['’]\s?\w+|\w{{2,}}|a)\b(?:\s+\w|$)
      | où\s+(?!que\b)(?:\S+\s+){{0,9}}\S+$
      | quand\s+(?:est|sont|était|sera|a|ai|as|part\w*|arrive\w*|commence|finit|tombe|naît|vien\w+)\b(?!\s+même)
      | comment\s+(?!(?:te\s+|vous\s+)?dire\b|ça\s+(?:se\s+fait|m['’])|(?:il|elle|ça|on)\s+(?:m['’]|me\b|est\s+trop|était\s+trop))\w
      | pourquoi\s+(?!pas\b)\w
      | combien\s+(?!de\s+temps\s+perdu\b|de\s+fois\s+(?:je|j['’]|on)\s*(?:l\w+\s+|te\s+|vous\s+)?(?:ai\s+|a\s+)?(?:dit|répété))\w
      | quel(?:le)?s?\s+(?:(?:est|sont|était|étaient)\b
        | (?!chance|joie|bonheur|honte|plaisir|conn?e?\b|journée|soirée|galère|bordel|enfer|horreur|merveille|angoisse|idiote?\b|idée)
          \w+\s+(?:\w+\s+)?(?:{_CLITIC}|est|sont|était|a|as|qui|mon|ma|mes|papa|maman)(?:\b|(?<=['’]))\s*\w)
      | que\s+(?:sai[st]|fai[st]|font|faisai[st]|dit|disai[st]|doi[st]|veut|voulait|devient|deviennent|pense|reste|faut|s['’]est|se\s+passe)\b
      | quoi\s+de\s+\w
      | (?:\w+\s+){{0,4}}{_IS}\s+(?:quoi|qui|où|combien|comment|ki|koi|quel(?:le)?s?|quand(?!\s+(?:même|meme|mm|qu['’]\w+|{_CLITIC})(?:\b|(?<=['’]))))\b
      | (?:\S+\s+){{0,3}}(?:{_CLITIC}\s*)?(?:y\s?['’]?a|(?:me|te|se|m['’]|t['’])?\s*(?:fai[st]|faire|font|faisai[st]|mange\w*|dit|pense\w*|veu[tx]|ai|as|a|lis|lit))\s+quoi\b(?!\s+que)
      | (?:{_CLITIC})\s*(?:\w+\s+){{1,3}}(?:combien\b|(?:à\s+|de\s+|en\s+|dans\s+|pour\s+)?quel(?:le)?s?\s+\w)
      | (?:il|elle|ils|elles|ça)\s+(?:habit\w+|vit|est|était|travaill\w+|boss\w+|va|part|arrive\w*|commence|finit|s['’]appell\w+)\s+
        (?:où|comment|quand)\s+(?:déjà\s+|deja\s+)?{_OF_MINE}\w+(?:\s+\w+)?$
      | (?:il|elle)\s+(?:\w+\s+)?\w+\s+(?:où|quand|comment)\s+(?:déjà\s+|deja\s+)?(?:papa|maman|mamie|papi|mon\s+\w+|ma\s+\w+)$
      | {_CLITIC}\s*\w+\s+quand\s+(?:à|en|aux?|chez)\b(?!\s+(?:effet|même|fait)\b)
      | (?:je\s+t['’]|je\s+vous\s+|j['’]|tu\s+|t['’])(?:ai|as)\s+\w+\s+quoi\s+(?:sur|pour|à|a|de|hier|avec|comme|chez|au|aux)\b
      | (?:\w+\s+){{0,3}}(?:il|elle|on|ils|elles)\s+(?:s['’])?(?:est|a|sont|ont|va|vont)\s+\w+\s+(?:quand|où|comment)\s+(?:du|de|d['’]|déjà|en|cet?|cette)\b
      | (?:{_CLITIC})\s*(?:dois|doit|peux|peut|veux|veut|vais|va|faut)\s+\w+\s+quoi\b
      | je\s+(?:t['’]|vous\s+)ai\s+dit\s+quoi\b
      | {_CLITIC}\s*\w+\s+(?:\w+\s+)?où\s+(?:en|avant|après|avec|il\s+y\s+a|ce(?:t|tte)?|demain)\b
      | t(?:['’]|u\s+)es\s+qui\b | (?:comment\s+)?ça\s+va\s*$
      | tu\s+sais\s+quoi\s+(?:sur|de|d['’]|du)\b
      | (?:(?:le|la|l['’]|mon|ma|notre)\s*)?(?:numéro|code|mot\s+de\s+passe|mdp|adresse|prénom|nom|pointure|recette|anniv(?:ersaire)?)\s+(?:de|du|d['’]|des|wifi)
        (?!\s*\w+\s+(?:a|est)\b)(?:\s*\b[^\W\d]+){{1,4}}$
      | tu\s+(?:te\s+)?(?:sais|souviens|rappelles|connais)\s+(?:(?:de\s+)?{_ASKED}|pourquoi|ce\s+que)\b(?<!sais\ quoi) | tu\s+te\s+(?:souviens|rappelles)\b
      | (?:tu\s+(?:peux|pourrais)\s+me\s+|peux[\s-]tu\s+me\s+)?(?:rappel+e[rz]?|dis|dire|redis)(?:[\s-]*moi)?\s+(?:{_ASKED}|pourquoi|ce\s+que)\b
    )"""
)
_TRAILING = re.compile(
    r"(?i)(?:\s+(?:déjà|deja|maintenant|encore|exactement|au\s+fait|du\s+coup|stp|svp|demain|aujourd['’]hui|ce\s+soir|en\s+ce\s+moment|actuellement|lyra))+$"
)
_FRENCH_END = re.compile(
    r"(?i)\s(?:où|quand|combien|comment|(?:à|a|avec|chez|de|pour)\s+qui|(?:à|a|de|avec|en|sur|pour|dans|chez)\s+quoi|quel(?:le)?s?\s+(?:heure|jour|âge|age|taille|couleur|date|prix|étage|année|mois|ville|école|marque|modèle|numéro|adresse|rue)s?"
    r"|\b(?:ai|as)\s+\w+(?:é|u|t|s)\s+quoi)$"
)
_MOST_WORDS = 12
_MOST_CHARACTERS = 200
"""A longer sentence without a question mark is a story; the patterns take the square of its length."""

_ACCENTED = r"(?:qué|quién(?:es)?|cuándo|dónde|adónde|cómo|cuál(?:es)?|cuánt[oa]s?)"
_EXCLAIMED = re.compile(
    r"""(?ix)^(?:
      qué\s+(?:más\s+da|\w+\s+(?:más|tan|est[aá]\w*)|de|\w+[^qm\W]it[oa]s?|manera|forma|modo)\b
      | (?:con\s+)?qué\s+(?:calor|frío|asco|pena|rabia|ilusión|bien|mal|guay|ric[oa]s?|bonit[oa]s?|pesad[oa]s?|susto|vergüenza|sueño|hambre|sed|cansancio|buen[oa]?s?|mierda|fuerte
        |suerte|pasada|locura|envidia|ganas|lástima|horror|miedo|alegría|nervios|putada|tont[oa]s?|idiota|gracia|lind[oa]s?|mon[oa]s?|fe[oa]s?|dur[oa]|difícil|risa|palo
        |coñazo|maravilla|va|raro|rara|dolor|pereza|agobio|estrés|desastre|gozada|chul[oa]s?|triste|maj[oa]s?|día|noche|semana)\b(?!\s+(?:es|era|fue|sale|tengo|viene|llega)\b)
      | cómo\s+(?:mola|duele|pesa|llueve|te\s+(?:quiero|echo)|me\s+(?:duele|gusta|alegro)|está\s+el|pasa\s+el\s+tiempo)\b
      | cuánt[oa]s?\s+(?:te\s+quiero|te\s+echo|tiempo\s+(?:sin|perdido)|me\s+(?:alegro|gusta))\b
    )"""
)
_SPANISH = re.compile(
    rf"""(?ix)^(?:
      (?:(?:a|de|con|en|por|para|desde|hasta|sobre|según)\s+)?{_ACCENTED}\b\s*\S
      | (?:la|el|los|las|mi|mis)\s+\w+\s+{_ACCENTED}\s+\w
      | (?:a|de|en|hasta|desde|para|por)\s+(?:q|que)\s+(?:hora|d[ií]a|fecha|color|edad|precio|calle|ciudad|marca|piso|número|trabaj\w+)\b
      | (?:a|con|de|para)\s+quien(?:es)?\s+\w | (?:por|a)\s+cuanto\s+\w
      | por\s?q\s+(?!\w+o\s*$)(?:no\s+)?\w+[éóí]\b | q\s+te\s+dij[eo]\b
      | q\s+(?!(?:mañana|hoy|luego|ahora|ya|no|siempre|también|tb|s[oó]lo|nunca)\b)\w+\s+(?:tengo|tenemos)\b
      | (?:(?:el|la|mi)\s+)?(?:número|código|clave|contraseña|dirección|receta|talla|cumple(?:años)?)\s+del?(?:\s+[^\W\d]+){{1,4}}\s*$
      | q\s+(?:te\s+\w+[éó]|me\s+dij[eo]|sabes|hice|hago|hizo|hicimos|pas[oó]|hay|com[ií]|dij[eo]|compr[eé]|regal[eé]|significa|opinas|piensas|me\s+\w+ó)\b
      | que\s+(?:me\s+dijo|sabes|opinas|piensas|significa|hice|hicimos|pas[oó]|compr[eé]|regal[eé])\b
      | (?:q|que)\s+(?:hora|d[ií]a|año|mes|nombre|edad|color|coche|moto|libro|pel[ií]cula|regalo|tipo|marca|piso|número|código|clave|contraseña|talla|pastillas?|medicina|plato)
        \s+\w
      | donde\s+(?:viv\w+|est(?!é\b)\w+|trabaj\w+(?!\s+no\b)|nac\w+|compr\w+|dej\w+|fui|fuimos|es|era|son|quedamos|puse|tengo|aparqu\w+)\b(?:\s+\w+){{0,4}}$
      | cuando\s+(?:es|era|fue|cumple|cumplo|sale|empieza|nació|llega|viene|(?:nos|se|me)\s+cas\w+)\b(?:\s+\w+){{1,5}}$ | cuando\s+tengo(?:\s+\w+){{1,3}}$
      | como\s+(?:se\s+llam\w+|te\s+llam\w+|estás|estas|está)\b
      | quien(?:es)?\s+(?:es|era|son|fue|me|te|le|se|ha|va|tiene|vive|trabaja|vino|dijo)\s+\w
      | cual(?:es)?\s+(?:es|era|fue|son)\b | cuant[oa]s?\s+(?!más\b|antes\b|mas\b)\w+\s+\w | cuanto\s+(?:pag\w+|cuest\w+|cost\w+|gan\w+|mid\w+|dur\w+)
      | (?:sabes|te\s+acuerdas(?:\s+de)?|recuerdas|me\s+(?:recuerdas|dices)|recu[eé]rdame|dime)\s+(?:si|de\s+)?\s*(?:{_ACCENTED}|quien|cuando|donde|como|cual|cuant[oa]s?|(?:a|en|de)\s+q(?:ue|ué)?|lo\s+que)\b
      | te\s+acuerdas\s+del?\b | que\s+tal\b
    )"""
)


def asks_in_french(sentence: str) -> bool:
    """Return whether a French sentence asks, by its question word, wherever that stands, or by the order of verb and pronoun."""
    sentence = _shortened(sentence)
    opened = _FRENCH.match(sentence)
    if opened:
        return not _KNOWN.search(sentence[: opened.end()]) or bool(re.match(r"(?i)(?:que|tu|sai[st])\b", sentence))
    words = _TRAILING.sub("", sentence)
    ended = _FRENCH_END.search(words)
    return bool(ended) and len(words.split()) <= _MOST_WORDS and "," not in words and not _KNOWN.search(words)


def asks_in_spanish(sentence: str) -> bool:
    """Return whether a Spanish sentence asks, by its question word; an exclamation ("qué calor") does not."""
    sentence = _shortened(sentence)
    return bool(_SPANISH.match(sentence)) and not _EXCLAIMED.match(sentence)


def _shortened(sentence: str) -> str:
    """Return a sentence with single spaces and without what leads it in; nothing of one that is too long to ask."""
    sentence = " ".join(sentence.split())
    return _LEAD.sub("", sentence) if len(sentence) <= _MOST_CHARACTERS else ""
