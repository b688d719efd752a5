"""Acknowledgements: what only takes note of a statement or greets, by a closed list for each of seven languages.

Such a reply reads the same whatever else was known when it was given, as does a judgement that the statement explains. What
confirms ("Exactly.") or agrees ("Okay.") is not listed: the reason for it may be anything.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from memory.text.judgements import judges
from memory.text.questions import asks

RECEIPTS: Mapping[str, Sequence[str]] = {
    "english": (
        r"(?:that's )?good to know",
        r"i see|got it|(?:i )?underst(?:and|ood)",
        r"kept|(?:duly )?noted|i(?:'ve| have) (?:noted|made a note of) (?:it|that|this)",
        r"i(?:'ll| will) (?:remember|make a note of|note) (?:it|that|this)|i(?:'ll| will) (?:remember|make a note)",
        r"i(?:'ll| will) (?:keep|bear) (?:it|that|this) in mind",
        r"(?:many )?thanks|thanks a lot|thank you(?: very much| so much)?|you(?:'re| are) welcome",
        r"thank(?:s| you) for (?:telling me|letting me know|(?:sharing|telling me)(?: it| that| this)?(?: with me)?)",
        r"thank(?:s| you) for the (?:info|information|update)",
        r"hello|hi|hey|goodbye|bye|sleep well|good (?:morning|afternoon|evening|night)(?: to you)?",
        r"(?:that )?sounds (?:lovely|nice|good|great|wonderful|fun|like fun)",
    ),
    "german": (
        r"(?:das ist )?gut zu wissen",
        r"aha|ach so|(?:ich )?verstehe|(?:ich )?(?:habe )?verstanden",
        r"gemerkt|(?:ist )?notiert|(?:das )?habe ich (?:mir )?notiert|ich (?:habe es|hab's)(?: mir)? notiert",
        r"(?:das )?(?:merke?|notiere?) ich(?: es)? mir|ich (?:merke|notiere) (?:es mir|mir das)",
        r"(?:das )?behalte ich im kopf|ich behalte (?:es|das) im kopf",
        r"danke(?: dir| ihnen| schön| sehr)?|vielen dank|gern(?:e)? geschehen",
        r"(?:danke )?dass (?:du|sie) mir das (?:sagst|sagen|erzählst|erzählen|gesagt hast|gesagt haben|erzählt hast|erzählt haben)",
        r"dass (?:du das mit mir teilst|sie das mit mir teilen)",
        r"danke (?:fürs (?:erzählen|bescheidgeben|bescheid geben)|für (?:die (?:info|information|auskunft)|den hinweis))",
        r"hallo|guten (?:morgen|tag|abend)|gute nacht|tschüss|bis bald|schlaf gut|schlafen sie gut",
        r"(?:das )?klingt (?:schön|gut|nett|toll|wunderbar)",
    ),
    "spanish": (
        r"(?:es|está|qué) bueno saberlo|(?:es )?bueno saberlo|está bien saberlo",
        r"ya veo|(?:lo )?entiendo|entendido|comprendo|comprendido",
        r"guardado|(?:queda )?anotado|lo (?:he )?anot(?:o|ado)|(?:he )?tom(?:o|ado) nota",
        r"lo recordaré|me acordaré(?: de eso)?|lo tendré (?:en cuenta|presente)",
        r"(?:muchas )?gracias|de nada",
        r"gracias por (?:contármelo|decírmelo|avisar|avisarme|compartirlo(?: conmigo)?|la información)",
        r"hola|buenos días|buenas (?:tardes|noches)|adiós|hasta luego|que duermas bien",
        r"(?:eso )?suena (?:bien|muy bien|genial|estupendo|bonito)",
    ),
    "french": (
        r"(?:c'est )?bon à savoir",
        r"je (?:vois|comprends)|(?:c'est |bien )?compris",
        r"(?:c'est )?(?:bien )?noté|je (?:le )?note|j(?:e l)?'ai noté|j(?:e |'en )prends note",
        r"je (?:le )?retiens|je m'en souviendrai|je (?:garde (?:ça|cela)|le garde) (?:en tête|à l'esprit)",
        r"merci(?: beaucoup| bien| à toi| à vous)?|de rien",
        r"merci (?:de me l'avoir dit|de me le dire|de m'en avoir parlé|de m'avoir prévenue?|du partage)",
        r"merci pour (?:le partage|l'info|l'information)",
        r"bonjour|bonsoir|salut|bonne nuit|au revoir|à bientôt|dors bien|dormez bien",
        r"(?:ça|cela) (?:a l'air|semble) (?:super|bien|chouette|sympa|génial)",
    ),
    "italian": (
        r"(?:è )?buono a sapersi|capisco|ho capito|capito|ricevuto",
        r"(?:me lo )?(?:segno|annoto)|annotato|(?:ne )?prendo nota|me ne ricorderò|lo terrò (?:a mente|presente)",
        r"grazie(?: mille| tante)?|prego|di niente",
        r"grazie (?:di avermelo detto|per avermelo detto|per l'informazione|dell'informazione|per la condivisione)",
        r"ciao|salve|buongiorno|buonasera|buonanotte|arrivederci|a presto|dormi bene",
    ),
    "portuguese": (
        r"(?:é )?bom saber|(?:eu )?(?:entendo|percebo|compreendo)|entendi|percebi|entendido|compreendido",
        r"anotado|(?:vou )?anotar|tomei nota|(?:vou )?lembrar-me disso|vou me lembrar(?: disso)?|vou ter isso em conta",
        r"(?:muito )?obrigad[oa]|de nada|obrigad[oa] por (?:me )?(?:contar|avisar|dizer|partilhar|compartilhar)|obrigad[oa] pela informação",
        r"olá|oi|bom dia|boa (?:tarde|noite)|adeus|tchau|até (?:logo|breve)|dorme bem",
    ),
    "dutch": (
        r"(?:dat is )?goed om te weten|ik (?:snap|begrijp) het|begrepen|duidelijk|aha",
        r"genoteerd|(?:dat )?(?:ik )?onthoud (?:ik|dat|het)|(?:dat )?zal ik onthouden|ik (?:noteer|onthoud) (?:het|dat)",
        r"dank (?:je|u)(?: wel)?|bedankt|graag gedaan|bedankt voor (?:het vertellen|de informatie|het delen)",
        r"hallo|hoi|goedemorgen|goedemiddag|goedenavond|goedenacht|welterusten|tot ziens|dag|slaap lekker",
    ),
}
_RECEIPT = re.compile("|".join(pattern for patterns in RECEIPTS.values() for pattern in patterns))
_LEAD = re.compile(
    r"(?:ah|oh|ach)?(?: ?(?:okay|ok|alright|all right|well|alles klar|in ordnung|gut|bueno|vale|de acuerdo|d'accord|bien|bon))?"
)
"""What may stand beside a receipt; alone it agrees."""
_BETWEEN_CLAUSES = re.compile(r"[.!,;:…¡\n]+")
_SMILES = str.maketrans("", "", "🙂😊🙏\ufe0f")


def only_acknowledges(reply: str, answered: Collection[str], speakers: Collection[str] = ()) -> bool:
    """Return whether a reply only takes note of the statements it answers, judges or greets, by their speakers' names or none.

    The same words in answer to a question may tell.
    """
    clauses = _clauses(reply)
    if not answered or any(asks(text) for text in answered):
        return False
    names = {name for speaker in speakers for name in _clauses(speaker)}
    beside = [clause for clause in clauses if not (_RECEIPT.fullmatch(clause) or judges(clause, answered))]
    return len(beside) < len(clauses) and all(clause in names or _LEAD.fullmatch(clause) for clause in beside)


def _clauses(text: str) -> list[str]:
    plain = text.casefold().replace("’", "'").translate(_SMILES)
    return [clause for part in _BETWEEN_CLAUSES.split(plain) if (clause := " ".join(part.split()))]
