"""Acknowledgements: what only takes note of a statement, judges it or greets, by closed lists for each language that
she speaks, judgements for seven.

Such a reply reads the same whatever else was known when it was given. So does an exclamation of joy or pity where the statement
explains it: pity where that tells of something hard, joy where it neither does nor mentions news without telling them.
What confirms ("Exactly."), agrees ("Okay."), approves ("Good idea."), congratulates or wishes is not listed, as the reason for it
may be anything.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from memory.text.questions import asks


class _Judgements(NamedTuple):
    """Patterns for whole clauses of joy and of pity, for words of what is hard, and of news whose content is not told with them."""

    joy: str
    pity: str
    hard: str
    news: str


_LISTS: Mapping[str, _Judgements] = {
    "english": _Judgements(
        r"(?:(?:oh|how|so|very|really|just|absolutely|quite|pretty|that's|that is|it's|that sounds|it sounds|sounds|that must be|must be|that must have been|must have been) )*"
        r"(?:nice|lovely|wonderful|great|beautiful|sweet|cute|cool|fun|exciting|delightful|adorable|delicious|tasty|fantastic|amazing"
        r"|awesome|gorgeous|marvellous|super)|what an? (?:nice|lovely|wonderful|great|beautiful) (?:thing|day|sight|view|thought|feeling)"
        r"|(?:i'm |i am )?(?:so |very |really )?(?:glad|happy|pleased)(?: to hear (?:it|that|this))|yum(?:my)?|wow|yay",
        r"oh no|oh dear|ouch|(?:i'm |i am )?(?:so |very |really )?sorry(?: to hear (?:it|that|this))?|what a (?:pity|shame|nuisance|pain)"
        r"|(?:(?:oh|how|so|very|really|that's|that is|that sounds|it sounds|sounds|that must be|must be|that must have been|must have been) )*(?:hard|tough|rough|annoying"
        r"|exhausting|tiring|awful|terrible|horrible|sad|frustrating|painful|stressful|unpleasant|unfortunate)|too bad|poor you|poor thing",
        r"late again|(?:too|so|hours?|minutes) late|delay\w*|cancel\w*|missed the|lost my|lost the|stolen|broke|broken|burn(?:ed|t)|hurts?"
        r"|\w*aches?|aching|pain|sick|ill|fever|flu|tired|exhausted|slept badly|(?:couldn't|can't|didn't) sleep|awake since|died|dead"
        r"|funeral|cried|crying|failed|fell (?:down|off|over)|accident|leak(?:s|ed|ing)|flooded|stuck|sprained|injured|robbed|lonely"
        r"|(?:rain|rained|raining|rains) all|terrible|horrible|awful",
        r"results?|news|tests?|told|said|says|heard|talked|spoke|met|called|wrote|letter|decided|answer\w*|doctor|hospital|appointment|lawyer|interview|did it|worked",
    ),
    "german": _Judgements(
        r"(?:(?:oh|wie|so|sehr|echt|wirklich|ganz|ach|das ist(?: ja)?|das klingt(?: ja)?|klingt|das hört sich) )*(?:schön|toll|nett|süß|herrlich"
        r"|wunderbar|wunderschön|prima|super|aufregend|spannend|lecker|klasse|niedlich|großartig|fantastisch|cool)(?: an)?"
        r"|(?:oh |ach )?(?:das|da) freu(?:t|e) (?:mich|ich mich)(?: sehr| zu hören| für (?:dich|sie))*|freut mich(?: sehr| zu hören)?|wow",
        r"(?:oh|ach) (?:je|nein|weh|du liebe zeit)|oje|(?:oh |ach )?das tut mir (?:sehr |so |wirklich )?leid|tut mir (?:sehr |so )?leid"
        r"|(?:(?:oh|ach|wie|so|sehr|das ist(?: ja)?|das klingt(?: ja)?|klingt) )*(?:schade|ärgerlich|anstrengend|hart|schlimm|blöd|traurig"
        r"|unangenehm|schwer|mühsam|furchtbar|schrecklich|stressig|schmerzhaft)|du (?:armer|arme)|autsch",
        r"verspätung|verspätet|zu spät|ausgefallen|abgesagt|verpasst|verloren gegangen|(?:habe?|hat) \w+ \w+ verloren|gestohlen|geklaut"
        r"|kaputt|verbrannt|(?:tut|tun) (?:\w+ ){0,4}weh|\w*schmerzen|krank|fieber|erkältet|erkältung|grippe|müde|erschöpft"
        r"|schlecht geschlafen|nicht (?:ge)?schlafen|gestorben|tot|beerdigung|geweint|nicht bestanden|durchgefallen|gestürzt|hingefallen"
        r"|unfall|undicht|überschwemmt|verstaucht|verletzt|einsam|furchtbar|schrecklich|schlimm|regnet den ganzen",
        r"ergebnis\w*|befund\w*|neuigkeit\w*|nachricht\w*|test|gesagt|sagte|sagt|erzählt|gehört|gesprochen|geredet|getroffen|angerufen|geschrieben|brief|entschieden|antwort\w*|arzt|ärztin|krankenhaus|termin|anwalt|gespräch|geklappt",
    ),
    "spanish": _Judgements(
        r"(?:(?:oh|ay) )?qué (?:bien|bonito|bonita|bueno|buena|lindo|linda|guay|rico|rica|ricura|maravilla|alegría|emocionante|ilusión|chulo|mono"
        r"|mona|gusto|belleza)|(?:me )?alegro(?: mucho)?(?: de oírlo| por ti)?|me alegra(?: mucho)?(?: oírlo)?|genial|estupendo|maravilloso|precioso"
        r"|fantástico|suena (?:genial|bien|divertido|emocionante)",
        r"(?:ay|oh|uf|vaya)|(?:ay|oh) no|(?:ay |oh |uf |vaya )?qué (?:pena|lástima|fastidio|rabia|duro|difícil|triste|mal|faena|horror|cansancio)"
        r"|lo siento(?: mucho)?|cuánto lo siento|suena (?:duro|difícil|agotador)|pobre(?:cito|cita)?",
        r"tarde y|llegamos tarde|retraso|cancelad\w|perdimos|perdí (?:el|la|mi)|he perdido (?:el|la|mi)|(?:ha|han) robado|rot[oa]|averiad\w"
        r"|quemad\w|quemé|duelen?|dolor\w*|enferm\w|fiebre|gripe|resfriad\w|cansad\w|agotad\w|he dormido (?:mal|poco)|no (?:he dormido|pude dormir)"
        r"|murió|ha muerto|entierro|funeral|lloré|llorado|suspendid\w|suspendí|me caí|accidente|terrible|horrible",
        r"resultados?|noticias?|prueba|dicho|dije|dijo|dice|contado|conté|oído|hablé|hablado|visto a|llamó|llamado|escrito|carta|decidido|decidí|respuesta|respondido|médico|médica|hospital|cita|abogad\w|entrevista|funcionado",
    ),
    "french": _Judgements(
        r"(?:(?:oh|ah|comme|que|si|très|trop|vraiment|c'est|ça a l'air|ça semble) )*(?:beau|belle|chouette|super|génial|sympa|mignon|magnifique"
        r"|merveilleux|adorable|joli|délicieux|formidable|passionnant)|quel(?:le)? (?:bonheur|joie|merveille|plaisir)"
        r"|(?:ça |cela )?(?:me )?fait (?:très )?plaisir|je suis (?:très |si |trop )?(?:content|heureux|ravi)e?(?: de l'entendre| pour (?:toi|vous))?|miam",
        r"oh non|aïe|mince(?: alors)?|oh là là|zut|(?:oh )?(?:je suis )?(?:vraiment |tellement )?désolée?(?: pour (?:toi|vous)| de l'entendre)?"
        r"|quel(?:le)? (?:dommage|plaie|galère|poisse)|(?:c'est |que c'est )?dommage|(?:(?:oh|comme|que|c'est|ça a l'air|ça doit être|très|vraiment) )+"
        r"(?:dur|embêtant|fatigant|triste|pénible|difficile|ennuyeux|terrible|affreux|stressant)|(?:mon|ma) pauvre",
        r"retard|annulée?s?|raté le|perdu (?:mon|ma|mes|le|la)|volée?s?|en panne|cassée?s?|brûlée?|mal (?:à|au|aux|partout)|malade|fièvre|grippe"
        r"|rhume|fatiguée?|épuisée?|(?:pas|mal|peu) dormi|tordu|mort|morte|décédée?|enterrement|pleuré|échoué|tombée? (?:de|dans|par)|accident"
        r"|fuite|inondée?|blessée?|horrible|affreux",
        r"résultats?|nouvelles?|tests?|dit|raconté|entendu|parlé|rencontré|vu (?:mon|ma|le|la) \w+|appelé|écrit|lettre|décidé|réponse|répondu|médecin|docteur|hôpital|rendez-vous|avocate?|entretien|marché",
    ),
    "italian": _Judgements(
        r"(?:(?:oh|ah) )?(?:che|com'è) (?:bello|bella|bellezza|bontà|meraviglia|carino|carina|gioia|buono|buona|dolce|emozione|piacere|tenero)"
        r"|(?:mi fa|fa) (?:molto |tanto )?piacere|(?:ne )?sono (?:molto |tanto )?(?:content|feli)\w+(?: per te)?|stupendo|splendido|fantastico|meraviglioso"
        r"|bellissimo|sembra (?:bello|divertente|fantastico)",
        r"oh no|accidenti|uffa|ahi|(?:oh )?mi (?:dispiace|spiace)(?: tanto| molto)?|(?:oh no )?che (?:peccato|seccatura|sfortuna|rabbia|fatica|pena|guaio"
        r"|brutto|brutta|tristezza|disastro)|dev'essere (?:dura|difficile|faticoso)|sembra (?:dura|difficile|faticoso)|pover[oa] te|pover[oa]",
        r"in ritardo|cancellat\w|annullat\w|perso (?:il|la|l'|le|lo) (?:\w+o|\w+e|chiavi)|rubat\w|rott[oa]|bruciat\w|fa(?:nno)? male|mal di|dolor\w+"
        r"|malat\w|febbre|influenza|raffreddat\w|stanc\w|esaust\w|dormito (?:male|poco)|non ho dormito|mort[oa]|funerale|pianto|bocciat\w|cadut\w"
        r"|incidente|guast\w|feritoi?|slogat\w|terribile|orribile",
        r"risultat\w|esit[oi]|notizi\w|test|detto|disse|dice|raccontato|sentito|parlato|incontrato|chiamato|scritto|lettera|deciso|risposta|risposto|medico|dottor\w+|ospedale|appuntamento|avvocat\w|colloquio|funzionato",
    ),
    "portuguese": _Judgements(
        r"(?:(?:oh|ah|ai) )?que (?:bom|boa|lindo|linda|giro|gira|fofo|fofa|maravilha|delícia|alegria|bonito|bonita|legal|fixe|máximo|emoção)"
        r"|fico (?:muito |tão )?(?:feliz|contente)(?: por (?:ti|si|você)| em saber)?|maravilhoso|fantástico|ótimo|lindo|parece (?:ótimo|bom|divertido)",
        r"oh não|ai não|puxa|(?:eu )?sinto (?:muito|imenso)|lamento(?: muito| imenso)?|(?:oh não |ai |oh )?que (?:pena|chatice|azar|raiva|triste|tristeza"
        r"|droga|horror|cansaço|mau|chato)|deve ser (?:difícil|duro|cansativo)|parece (?:difícil|duro|cansativo)|coitad[oa]",
        r"atras(?:o|ad\w)|cancelad\w|perdi (?:o|a|os|as)|perdemos (?:o|a)|roubad\w|roubaram|partid[oa]|quebrad\w|quebrou|avariou|avariad\w|queimad\w"
        r"|queimei|dói|doem|dor|dores|doente|febre|gripe|constipad\w|resfriad\w|cansad\w|exaust\w|dormi (?:mal|pouco)|não dormi|morreu|funeral"
        r"|enterro|chorei|reprov\w+|chumbei|caí|acidente|choveu (?:o|a) \w+|terrível|horrível",
        r"resultados?|notícias?|teste|disse|diz|dito|contei|contado|ouvi|falei|falado|encontrei|ligou|liguei|escreveu|escrevi|carta|decidi\w*|resposta|respondeu|médic\w|hospital|consulta|advogad\w|entrevista|resultou|funcionou",
    ),
    "dutch": _Judgements(
        r"(?:(?:oh|o|wat|zo|heel|erg|echt|dat is|dat klinkt|klinkt) )*(?:leuk|fijn|mooi|lekker|prachtig|geweldig|schattig|lief|gezellig|spannend|super"
        r"|heerlijk|fantastisch|tof|enig)(?: om te horen)?|(?:wat )?(?:ben ik |ik ben )?blij(?: om)?(?: dat)? te horen|wauw|jippie",
        r"(?:oh|o|ach) nee|och|ach|au|(?:oh |ach )?(?:wat|dat is|dat klinkt|klinkt|dat lijkt me|heel|erg|zo)+ (?:(?:heel|erg|zo) )?(?:jammer|vervelend|naar"
        r"|zwaar|rot|erg|verdrietig|vermoeiend|pijnlijk|stom|balen|sneu|akelig)(?: voor (?:je|jou|u))?|balen|(?:het )?spijt me(?: voor (?:je|jou|u))?",
        r"vertraging|te laat|geannuleerd|afgelast|misten de|gemist|kwijt|gestolen|kapot|gebroken|verbrand|pijn|\w+pijn|ziek|koorts|griep|verkouden|moe"
        r"|uitgeput|slecht geslapen|niet geslapen|overleden|dood|begrafenis|gehuild|gezakt|gevallen|ongeluk|lekkage|gewond|verstuikt|vreselijk"
        r"|regent de hele|regende de hele",
        r"uitslag|resultaten|nieuws|test|gezegd|zei|zegt|verteld|gehoord|gesproken|gepraat|ontmoet|gebeld|geschreven|brief|besloten|antwoord|dokter|arts|ziekenhuis|afspraak|advocaat|gesprek|gelukt\b.{0,60}\bhet|het is gelukt",
    ),
}  # fmt: skip
_PATTERNS = [
    tuple(re.compile(one) for one in (some.joy, some.pity, rf"\b(?:{some.hard})\b", rf"\b(?:{some.news})\b"))
    for some in _LISTS.values()
]


def judges(clause: str, answered: Collection[str]) -> bool:
    """Return whether a clause, folded and without punctuation, exclaims no more than what the statements it answers explain."""
    told = "\n".join(answered).casefold().replace("’", "'")
    return any(
        pity.fullmatch(clause) if hard.search(told) else joy.fullmatch(clause) and not news.search(told)
        for joy, pity, hard, news in _PATTERNS
    )


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
        r"grazie(?: mille| tante)?|prego|di niente|me lo sono (?:segnat|annotat)[oa]",
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
        r"hallo|hoi|goedemorgen|goedemiddag|goedenavond|goedenacht|welterusten|tot (?:ziens|later)|dag|slaap lekker|onthouden",
    ),
    "polish": (
        r"(?:dobrze|warto|miło) wiedzieć|rozumiem|jasne, rozumiem|zrozumiał[ae]m|aha",
        r"zapamiętane|zapamiętam(?: to)?|zapamiętał[ae]m|zanotowane|zapisane|notuję|zanotował[ae]m|będę (?:o tym )?pamiętać",
        r"(?:dziękuję|dzięki)(?: bardzo| ci)?|nie ma za co|(?:dziękuję|dzięki),? że (?:mi )?(?:to )?(?:mówisz|powiedział[ae]ś)|dzięki za informację",
        r"cześć|hej|dzień dobry|dobry wieczór|dobranoc|do (?:widzenia|zobaczenia|usłyszenia|jutra)|na razie|śpij dobrze",
    ),
    "russian": (
        r"(?:буду знать|приятно знать|хорошо,? что (?:ты )?сказал[аи]?)|понятно|понял[аи]?|ясно|ага",
        r"запомнила?|записала?|я (?:это )?(?:запомню|запомнила?|учту|записала?)|(?:это )?запомню|учту|отмечено",
        r"(?:большое )?спасибо(?: большое| тебе)?|пожалуйста|не за что|спасибо,? что (?:рассказала?|сказала?|поделилась|поделился)|спасибо за информацию",
        r"привет|здравствуй(?:те)?|доброе утро|добрый (?:день|вечер)|спокойной ночи|пока|до (?:свидания|завтра|встречи|скорого)|сладких снов",
    ),
    "turkish": (
        r"(?:bunu )?bilmek güzel|anladım|anlıyorum|tamamdır|hımm",
        r"aklımda|not ettim|not aldım|kaydettim|(?:bunu )?(?:aklımda tutarım|aklımda tutacağım|unutmam|hatırlarım|hatırlayacağım)",
        r"(?:çok )?teşekkürler|(?:çok )?teşekkür ederim|sağ ol|rica ederim|(?:bunu )?(?:söylediğin|anlattığın|paylaştığın) için (?:teşekkürler|teşekkür ederim|sağ ol)",
        r"merhaba|selam|günaydın|iyi (?:günler|akşamlar|geceler|uykular)|görüşürüz|hoşça kal|güle güle|tatlı rüyalar",
    ),
    "arabic": (
        r"(?:من الجيد|جيد) (?:معرفة ذلك|أن أعرف(?: ذلك)?)|فهمت|مفهوم|واضح",
        r"حفظت(?: ذلك|ه)?|سجلت(?: ذلك|ه)?|سجّلت(?: ذلك|ه)?|دوّنت(?: ذلك|ه)?|سأتذكر (?:ذلك|هذا)|سأتذكره|لن أنسى (?:ذلك|هذا)",
        r"شكرا(?:ً| لك| جزيلا)?|على الرحب والسعة|عفوا|شكرا (?:لإخباري|على المعلومة|على إخباري)",
        r"مرحبا|أهلا(?: وسهلا)?|السلام عليكم|وعليكم السلام|صباح (?:الخير|النور)|مساء (?:الخير|النور)|تصبح(?:ين)? على خير|إلى اللقاء|مع السلامة",
    ),
    "chinese": (
        r"知道了|我知道了|明白(?:了)?|了解(?:了)?|原来如此|懂了|收到",
        r"(?:我)?(?:已经?)?记(?:下|住)了|(?:我)?会记(?:住|得)的?|(?:我)?记好了",
        r"谢谢(?:你|您)?(?:告诉我|的?分享)?|多谢|不客气|不用谢",
        r"你好|您好|嗨|早上好|早安|下午好|晚上好|晚安|再见|拜拜|回头见|明天见|好好睡",
    ),
    "japanese": (
        r"なるほど(?:ね)?|わかった(?:よ)?|わかりました|分かった(?:よ)?|分かりました|了解(?:です|しました)?|そうなんだ(?:ね)?|そうなんですね|教えてくれてありがとう(?:ございます)?",
        r"覚えた(?:よ|ね)?|覚えました|覚えて(?:おく|おきます|おくよ|おくね|いるね)(?:ね)?|メモした(?:よ)?|メモしました",
        r"ありがとう(?:ございます)?|どういたしまして",
        r"こんにちは|こんばんは|おはよう(?:ございます)?|おやすみ(?:なさい)?|またね|また明日|さようなら",
    ),
    "korean": (
        r"그렇구나|그랬구나|알겠어(?:요)?|알겠습니다|알았어(?:요)?|이해했어(?:요)?|알려 ?줘서 고마워(?:요)?|말해 ?줘서 고마워(?:요)?",
        r"기억할게(?:요)?|기억해 ?(?:둘|놓을)게(?:요)?|기억했어(?:요)?|메모했어(?:요)?|적어 ?(?:둘|놓을)게(?:요)?|적어 ?뒀어(?:요)?",
        r"(?:정말 )?고마워(?:요)?|감사합니다|고맙습니다|천만에(?:요)?|별말씀을(?:요)?",
        r"안녕(?:하세요)?|좋은 아침(?:이야|이에요)?|잘 자(?:요)?|또 봐(?:요)?|내일 봐(?:요)?|잘 가(?:요)?",
    ),
}
_RECEIPT = re.compile("|".join(pattern for patterns in RECEIPTS.values() for pattern in patterns))
_LEAD = re.compile(
    r"(?:ah|oh|ach)?(?: ?(?:okay|ok|alright|all right|well|alles klar|in ordnung|gut|bueno|vale|de acuerdo|d'accord|bien|bon))?"
)
"""What may stand beside a receipt; alone it agrees."""
_BETWEEN_CLAUSES = re.compile(r"[.!,;:…¡。！，、،؛\n]+")
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
