"""Wordings that ask for discretion, and those that take it back.

A group holds the names of the people meant: `who` at the end of the wording, `short` within it, `before` at its beginning;
without one, everybody is meant. A `subject` such as "I" or "they" makes it a statement instead of a request.
"""

_WHO = r"(?P<who>[^.!?;:\n]{1,120})"
_SHORT = r"(?P<short>[^.!?;:\n]{1,60}?)"
_NAMED = r"(?P<short>[^.!?;:,\n]{1,60}?)"
_BEFORE = r"(?<![\w'’#@-])(?P<before>(?:@?[\w'’#-]{1,40},? ){0,4}@?[\w'’#-]{1,40})"
_SUBJECT = r"(?P<subject>\b\w+ )?\b"
_NOT = (
    r"(?:do not|don['’]?t|never|must not|mustn['’]t|should not|shouldn['’]t|cannot|can['’]t|may not|not to|please not|you won['’]t|you will not)"
    r"(?: (?:you dare(?: to)?|you|ever|please|even|go and|under any circumstances|on any account))?"
)
_OF = r"(?:this|that|it|these|those|all (?:of )?this|everything|anything|what [^.!?\n]{1,60}|(?:my|our|the) \w+)"
_SPOKEN = (
    r"(?:[^.!?\n]{0,40}?\b(?:mention|say|talk|speak|tell|bring|show|repeat|discuss|write|answer|ask|use|read)\b[^.!?\n]{0,40}?)?"
)
_START = r"(?:^|(?<=[.!?\n,;:(–—-])|(?<=[.!?\n,;:(–—-] ))(?:psst,? |shh,? |ok,? |and |but |so |also |just |please |bitte |aber |und |nur )*"
_ENDING = r"(?= *(?:[.,;:!?)\]–—\n]|$)| (?:now|please|ok|okay|though|and|but|so|too|bitte|und|aber)\b)"
_TITLE = r"(?= ?[:–—-])"

# What somebody may know by being told; other knowledge, such as how to swim, is excluded.
_KNOWN = (
    r"(?! (?!(?:about|of|this|that|these|those|it|any|anything|what|where|when|why|who|which|whether|if|my|our|the|yet|ever|or|and|but|because"
    r"|until|before|please|too|either|at|for|though|as|so|from|i|we|you|just|right|now|today|there)\b)\w)"
)
_KNOW = rf"(?:(?:know|find out|learn)\b{_KNOWN}|(?:hear|see|read|notice|suspect|be told|be informed|be aware|get wind|catch wind|know of)\b)"
_KNOWS = rf"(?:(?:knows?|knew|finds? out|found out|learns?|learnt|learned)\b{_KNOWN}|(?:hears?|heard|sees?|saw|reads?|notices?|noticed|suspects?|suspected|is told|gets? wind|got wind)\b)"
_KNOWING = r"(?:knowing|finding out|hearing|learning|seeing|reading|noticing)\b"
_UNKNOWING = rf"(?:does not|doesn['’]?t|do not|don['’]?t|did not|didn['’]?t|will not|won['’]?t|can['’]?t|cannot|could not|couldn['’]?t|not|never) (?:to )?(?:ever )?{_KNOWS}"

_ENGLISH = (
    rf"{_SUBJECT}{_NOT} (?:tell|telling|inform|show|warn|let on to|text) {_WHO}",
    rf"{_SUBJECT}{_NOT} let {_SHORT} (?:know|find out|hear|see|learn|read|notice|get wind)\b",
    rf"\b(?:never|not|nothing|{_NOT})\b{_SPOKEN}[ ,]+(?:when|while|whenever|if|as long as) {_SHORT}"
    r"(?: (?:is|are|was|might be|may be|comes)|['’]s) (?:also )?(?:around|here|there|present|near|nearby|listening|reading|along|online"
    r"|with us|in the (?:room|channel|chat|thread))\b",
    rf"\b(?:never|not|{_NOT})\b{_SPOKEN}[ ,]+in front of {_WHO}",
    rf"\bi (?:(?:do not|don['’]?t|would not|wouldn['’]?t|never) (?:ever )?(?:want|wish|like|need|care)|would hate)(?: for)? {_SHORT} to (?:ever )?{_KNOW}",
    rf"\bi (?:do not|don['’]?t|would not|wouldn['’]?t) (?:ever )?(?:want|like|need)(?: that)? {_SHORT} (?:{_KNOWING}|to be told\b|(?:knows|finds out|hears|learns)\b)",
    rf"\bi (?:want|need|would like|['’]d like|prefer) {_SHORT} (?:not|never) to (?:ever )?{_KNOW}",
    r"\b(?:be|make|making) (?:quite |very )?(?:sure|certain),?(?: that)? " + rf"{_SHORT} {_UNKNOWING}",
    rf"\b(?:ensure|see to it|take care|hope|hopefully|important|mind|so|rather|sooner|prefer it|prefer|like it|better|best),?(?: that| if)* {_SHORT} {_UNKNOWING}",
    r"\b(?:disaster|terrible|awful|bad|embarrassing|embarrassed|catastrophe|awkward|trouble|die|kill|hate it|mad|furious|nightmare|shame)\b"
    rf"[^.!?\n]{{0,30}}? if {_SHORT} (?:ever |were to |was to |should )*{_KNOWS}",
    rf"{_SUBJECT}(?:never|not|{_NOT}) (?:ever )?(?:mention|say|repeat|reveal|show|talk about|speak of|disclose|leak|forward|pass|send|hand|spill|blab|breathe a word|share)\b"
    rf"[^.!?\n]{{0,40}}? to {_WHO}",
    rf"{_SUBJECT}(?:never|{_NOT}) (?:share|discuss) {_OF}(?: \w+)? (?:with|around|near|before) {_WHO}",
    rf"{_SUBJECT}(?:never|{_NOT}) (?:talk|speak|chat|gossip) (?:about|of) [^.!?\n]{{1,40}}? (?:with|to|around|near) {_WHO}",
    rf"{_SUBJECT}(?:never|{_NOT}) bring (?:up )?{_OF}(?: up)? (?:with|to|around|near|before|in front of) {_WHO}",
    rf"{_SUBJECT}{_NOT} let (?:it|this|that|anything|something) slip(?: out)? (?:to|around|when|near) {_WHO}",
    rf"{_SUBJECT}{_NOT} give {_SHORT} (?:my|our) \w+",
    r"\b(?:not (?:a|one|another) (?:single )?word|say nothing|nothing)(?: (?:about|of) [^.!?\n]{1,40}?)? to (?=\S)" + _WHO,
    rf"(?<!\bwe )(?<!\bi )(?<!\bthey )\b(?:keep|hide|conceal|withhold) {_OF} (?:\w+ )?(?:away )?from {_WHO}",
    rf"(?<!\bwe )(?<!\bi )(?<!\bthey )\bkeep (?:a|this a|it a|that a) secret from {_WHO}",
    rf"\b(?:want|like|need|prefer|be|stays?|remains?)(?: {_OF})? (?:kept|hidden|concealed|withheld)(?: a)?(?: secret| away)? from {_WHO}",
    rf"(?<!\bwe )(?<!\bi )(?<!\bthey )\b(?:keep|leave) {_SHORT} (?:out of (?:this|that|it|the loop)|in the dark)\b",
    rf"\b(?:this|that|it|which)(?:['’]s| is| stays| remains) (?:a )?(?:secret from|surprise for) {_WHO}",
    rf"\btell {_OF} to (?=nobody|no one|no-one){_WHO}",
    rf"(?:{_START}|\b(?:this|that|it|these|which)(?:['’]s| is| are| was|) )not (?:meant |intended )?for {_SHORT}(?:['’]s|s['’]) (?:ears|eyes)\b",
    rf"\b(?:this|that|it)(?: is not|['’]s not| isn['’]t|is not meant| isn['’]t meant) for (?=(?-i:[A-Z@])){_WHO}",
    rf"\bnone of {_SHORT}(?:['’]s|s['’]) (?:\w+ )?(?:business|concern)\b",
    rf"\b(?:this|that|it) (?:does not|doesn['’]?t) concern {_WHO}",
    rf"\b(?:this|that|it|word|word of this) (?:must not|mustn['’]t|should not|shouldn['’]t|may not|cannot|can['’]t|must never|should never|may never)"
    rf" (?:ever )?(?:reach|(?:get|go|come|leak)(?: back| out)? to) {_WHO}",
    rf"\b(?:if|when|should) {_SHORT} (?:ever )?asks?(?: you)?(?: about [^.!?\n]{{1,40}}?)?,? (?:then )?(?:please )?(?:you (?:know nothing|say nothing"
    r"|(?:do not|don['’]?t|did not|didn['’]?t|have not|haven['’]t|never) (?:know|heard?|say|see|seen|saw))|(?:do not|don['’]?t|never) (?:say|tell|mention|answer"
    r"|reveal|give|let)|say (?:nothing|you)|keep quiet|stay quiet|play dumb|act dumb|tell (?:him|her|them) nothing)\b",
    rf"(?<!there['’]s )(?<!there is )\b(?:refrain from|avoid|no) (?:telling|informing) {_WHO}",
    rf"{_BEFORE} (?:must|may|should|can|could|need|is|are)(?: not|n['’]t|not|['’]t| never)"
    rf"(?: supposed| allowed| meant| permitted| entitled)?(?: to)?(?: ever)? {_KNOW}(?! well\b)",
    rf"\bneither {_SHORT} (?:must|may|should|can|could|needs?|has|have|is|are|ought)(?: supposed| allowed| meant| permitted| entitled)?(?: to)?"
    rf"(?: ever)? {_KNOW}(?! well\b)",
    rf"{_BEFORE} (?:had better|['’]d better|better|ought) (?:not|never)(?: to)? {_KNOW}",
    rf"{_BEFORE} (?:does not|doesn['’]?t|do not|don['’]?t) (?:have|need) to {_KNOW}",
    rf"{_BEFORE} (?:has|have) no (?:business|right|need) (?:knowing|hearing|seeing|reading|to {_KNOW})",
    r"\b(?:just|only|strictly|keep \w+|stays?|remains?|that['’]s|it['’]s|this is|it is|that is),? (?:just |only |strictly )?between "
    r"(?:us|you and me|me and you|you and i|ourselves)\b(?: two)?",
    r"\bbetween (?:you and me|me and you|us two|the two of us|you and i)\b(?! is| are)",
    rf"\bkeep {_OF} (?:as )?(?:a |our |my )?(?:\w+ )?(?:secret|private|confidential|to yourself|quiet|for yourself)(?! from)\b",
    rf"\btreat {_OF}(?: \w+)? (?:as )?(?:an? |strictly )?(?:confidential|confidentially|private|secret|sensitive)\b",
    r"\b(?:nobody|no one|no-one|none|not a (?:single )?soul)(?: else)?(?: but (?:you|us)| except (?:you|us))? (?:must|should|may|can|needs to|has to|is to|ought to)(?: ever)? "
    r"(?:know|find out|hear|learn)\b",
    r"\b(?:tell|show) (?:nobody|no one|no-one|not a soul)\b",
    rf"{_SUBJECT}{_NOT} tell{_ENDING}(?! me\b)",
    rf"{_SUBJECT}{_NOT} say (?:a word|anything|a thing)(?: (?:about|of) (?:this|that|it))?{_ENDING}",
    rf"{_SUBJECT}{_NOT} (?:share|repeat|mention|reveal|pass) (?:this|that|it)(?: on)?(?: again| anywhere| elsewhere)?{_ENDING}",
    rf"{_START}(?:not a word|say nothing|mum['’]?s the word|my lips are sealed){_ENDING}",
    r"\bmum['’]?s the word\b|\b(?:your|our) lips are sealed\b|\bmy lips are sealed and so are yours\b",
    r"\bin (?:strict |strictest |full |complete )?confidence\b(?! (?:interval|in|that))",
    rf"\b(?:this|that|it)(?:['’]s| is| stays| remains| must stay| must remain| has to stay)(?: strictly| very| really| highly| completely)? (?:a secret|secret|private"
    rf"|confidential|just for you|only for you|for you only|for you alone){_ENDING}(?! from)",
    rf"\b(?:it|this|that)(?:['’]s| is| stays| remains|['’]ll be| will be| must be| must stay| has to stay) (?:our|my)(?: little| big| own)? secret{_ENDING}",
    rf"{_START}(?:it['’]s |this is )?(?:our|a|my|top)(?: little| big| own)? secret{_TITLE}",
    r"\bcan you keep a secret\b(?! from)",
    r"\bfor your (?:ears|eyes) (?:only|alone)\b",
    rf"\bonly (?:you and (?:i|me)|us two|the two of us|we two|you) (?:may |can |should |must |are to )?know\b{_KNOWN}",
    rf"\bi(?:['’]m| am) (?:only|just) telling (?:only )?you(?: this| that)?{_ENDING}(?! (?:and|so|but))",
    r"\b(?:telling|told|tell) (?:only you|you alone|nobody else|no one else|no one but you|nobody but you)\b",
    r"[(\[] ?(?:strictly |top )?(?:confidential|secret|private|off the record|between us|vertraulich|geheim|privat|unter uns|nur für dich|confidentiel|confidencial"
    r"|vertrouwelijk)(?: please| bitte)? ?[)\]]",
    r"(?<![^\s.!?])(?:strictly )?(?:confidential(?:ly)?|private|vertraulich)(?= ?[:–—-] )",
    rf"{_START}(?:strictly |completely |this is |that['’]s |that is |it['’]s |all (?:of )?this is |speaking )*off the record\b",
    rf"(?<!called )(?<!titled )(?<!named )(?-i:off the record){_ENDING}",
    rf"{_START}entre nous\b",
)

_OBJECT = r"(?:es|das|dies|davon|darüber|hiervon|hierüber|etwas davon|was davon)"
_URGED = r"(?: (?:bitte|bloß|ja|doch|mal|auf keinen fall|unter keinen umständen|unbedingt))*"
_NICHT = r"(?:nichts?|nie|niemals|kein wort|keinesfalls|auf keinen fall|nix)"
_WISSEN = r"(?:wissen|erfahren|hören|mitbekommen|mitkriegen|sehen|lesen|merken|herausfinden|rausfinden|rauskriegen)\b"
_WEISS = (
    r"(?:weiß|weiss|wüsste|wüßte|erfährt|erführe|hört|mitbekommt|mitkriegt|mitbekäme|liest|sieht|merkt|herausfindet|rausfindet|rauskriegt"
    rf"|(?:{_WISSEN})(?: würde| würden)?)(?!\w)"
)
_ANY = rf"(?: (?:{_OBJECT}|{_NICHT}|je|jemals|auch))"
_CAPITAL = r"(?=(?-i:[A-ZÄÖÜ@]))"
_SAY = r"(?:sage?|erzähle?|verrate?|zeige?|schreibe?|petze?)"
_SECRET = r"(?:vertraulich|geheim|privat|ein geheimnis|unser geheimnis|mein geheimnis|unter uns|zwischen uns)"

_GERMAN = (
    rf"\b{_SAY}(?:['’]?s)? (?:{_OBJECT} )?(?!bitte|bloß|ja |doch |auf |das |es |nicht)(?P<short>[^.!?;:,\n]{{1,60}}?)(?:{_URGED}| davon)* (?:nichts|nicht|nie|kein wort)\b"
    r"(?! (?:so|dass|mehr)\b)",
    rf"\b{_SAY}(?:['’]?s| {_OBJECT}){_URGED} {_NICHT}(?: an| zu)? {_WHO}",
    rf"\b{_SAY}{_URGED} {_NICHT}(?: an| zu)? {_CAPITAL}{_WHO}",
    rf"(?:{_START}|\b{_OBJECT}{_URGED} )(?:nicht|nichts|nie) (?:davon )?(?:zu |an )?{_CAPITAL}{_NAMED} (?:sagen|erzählen|verraten|zeigen|weitersagen)\b",
    rf"\b(?:nie|niemals|nicht|nichts)\b[^.!?\n]{{0,40}}?\bwenn {_SHORT} (?:dabei|da|hier|anwesend|in der nähe|im raum|online) (?:ist|sind)\b",
    rf"\bwenn {_NAMED} (?:dabei|da|hier|anwesend|in der nähe|im raum|online) (?:ist|sind),? (?:\w+ ){{0,3}}?(?:nie|niemals|nicht|nichts|kein wort)\b",
    rf"\bich (?:will|möchte|mag|wünsche) (?:ja |wirklich |auf keinen fall |keinesfalls )?nicht,? dass {_SHORT}{_ANY}* {_WEISS}",
    rf"\b(?:pass(?:t)? (?:bitte )?auf|sorge? (?:bitte )?dafür|achte? (?:bitte )?darauf|schau|stell(?:e)? (?:bitte )?sicher|hauptsache|hoffe|wichtig(?: ist)?|nicht),? "
    rf"dass {_SHORT}{_ANY}+ {_WEISS}",
    rf"\b(?:hauptsache|hoffe|hoffentlich),? {_NAMED} (?:erfährt|weiß|weiss|hört|merkt|sieht|liest)(?: {_OBJECT}| auch| je)* {_NICHT}\b",
    rf"\bhoffentlich (?:erfährt|weiß|weiss|hört|merkt|sieht|liest) {_NAMED}(?: {_OBJECT}| auch| je)* {_NICHT}\b",
    rf"\b(?:lieber|besser|schön|recht),? wenn {_SHORT}{_ANY}+ {_WEISS}",
    rf"(?<!habe )(?<!hab )(?<!hat )(?<!hast )(?<!haben )\bkein(?:en)? (?:sterbens)?(?:wort|wörtchen|ton|mucks)(?: davon| darüber)?(?: zu| gegenüber| an| bei) {_WHO}",
    rf"\bzu {_NAMED} (?:bitte )?kein (?:sterbens)?(?:wort|wörtchen)\b",
    rf"{_START}zu (?:niemandem|keinem)(?: auch nur)? (?:k?ein) (?:sterbens)?(?:wort|wörtchen)\b",
    rf"\b(?:das|es|dies) geht {_NAMED} (?:gar |überhaupt )?(?:nichts|nix) an\b",
    r"\b(?:das|es|dies) geht (?:niemanden?|keinen)(?: sonst| anderen)? (?:et)?was an\b",
    rf"(?:{_START}|\b(?:ist|sind|war|wäre) )nicht für {_NAMED}(?:['’]s|s['’]|s|['’])? (?:ohren|augen)\b",
    rf"\b(?:erwähne?|sage?|sprich|rede?|erzähle?|zeige?) (?:{_OBJECT}|mein\w* \w+){_URGED} {_NICHT}(?: \w+)? (?:vor|gegenüber|bei) {_WHO}",
    rf"\bnicht mit {_NAMED} (?:darüber|davon|über)\b",
    rf"\b(?:darüber|davon){_URGED} (?:nicht|nie|niemals) mit {_WHO}",
    rf"\b(?:rede?|sprich|sprecht){_URGED} mit {_NAMED} (?:nicht|nie|niemals) (?:darüber|davon|über)\b",
    r"\b(?:rede?|sprich|sprecht)(?: \w+)? mit (?:niemandem|keinem)\b",
    rf"\b(?:halte?|behalte?) {_OBJECT}{_URGED} vor {_NAMED} (?:geheim|verborgen)\b",
    rf"\b(?:verheimliche?|verbirg|verstecke?|verschweige?|verberge?) {_OBJECT}{_URGED} (?:vor )?{_WHO}",
    rf"{_BEFORE} (?:darf|soll|sollte|sollten|dürfen|sollen|dürfte|braucht|brauchen|muss|müssen)(?: {_OBJECT})*{_URGED} {_NICHT}(?: {_OBJECT})*{_URGED}(?: zu)? {_WISSEN}",
    rf"\b{_OBJECT} (?:darf|soll|sollte|sollten|dürfen|sollen|braucht|brauchen|muss|müssen){_URGED} (?!niemand|keiner){_NAMED}{_URGED} {_NICHT}(?: {_OBJECT})*(?: zu)? {_WISSEN}",
    rf"\bweder {_NAMED} (?:darf|soll|sollte|sollten|dürfen|sollen|braucht|brauchen|muss|müssen)(?: {_OBJECT}| etwas| was| je| zu)* {_WISSEN}",
    rf"\b{_SAY}(?:['’]?s| {_OBJECT})?{_URGED} weder {_WHO}",
    rf"\b(?:niemand|keiner|kein mensch)(?: anderes| sonst| außer dir)? (?:darf|soll|sollte|braucht|muss)(?: {_OBJECT}| je| jemals| zu)* {_WISSEN}",
    rf"\b{_OBJECT} (?:darf|soll|sollte|braucht|muss)(?: bitte| sonst)* (?:niemand|keiner|kein mensch)(?: anderes| sonst| je)*(?: zu)? {_WISSEN}",
    rf"\b(?:bleibt?|bleiben|behalte?|ist|nur|bitte)\b[^.!?\n]{{0,15}}? (?:unter|zwischen) uns(?: beiden)?(?:{_ENDING}| bleiben\b)",
    rf"{_START}unter uns(?: beiden)?(?: gesagt)?{_TITLE}|\bunter uns gesagt\b",
    rf"\bbehalte? {_OBJECT}{_URGED} für dich\b",
    rf"\b{_SAY}(?:['’]?s)? (?:{_OBJECT} )?(?:bitte )?(?:niemandem|keinem)\b",
    rf"\b(?:{_SAY}|gib|plaudere?)(?:['’]?s| {_OBJECT})?{_URGED} (?:nicht|nie) weiter\b",
    rf"(?:{_START}|\b(?:bitte|bloß|{_OBJECT}) )(?:nicht|nichts|nie) (?:davon )?(?:weitersagen|weitererzählen|weitergeben|weiterleiten|ausplaudern|herumerzählen|rumerzählen|verraten)\b",
    r"\bim (?:strengsten |absoluten )?vertrauen\b(?= (?:gesagt|erzählt|gesprochen))|"
    + rf"{_START}(?:ganz |streng )?im vertrauen\b",
    r"\bvertraulich (?:behandeln|halten|bleiben)\b|\bbehandle? (?:es|das|dies)(?: bitte)? vertraulich\b",
    rf"\b(?:das|dies|es|alles|bleibt)(?: hier)?(?: ist| bleibt|)(?: streng| strikt| sehr| bitte)? {_SECRET}{_ENDING}",
    rf"\b(?:muss|soll|sollte|wird)(?: \w+)? {_SECRET} bleiben\b",
    rf"(?:{_START}|\b(?:das|es|dies|alles) ist )nur für dich(?: bestimmt| gedacht)?{_ENDING}",
    rf"{_START}(?:unser|ein)(?: kleines)? geheimnis{_TITLE}",
)

_OTHERS = (
    rf"\b(?:ne |n['’]en |n['’]|le |lui )+(?:dis|parle|raconte|montre) (?:pas|rien|jamais)(?: \w+){{0,2}}? à {_WHO}",
    rf"\bno (?:(?:se lo|le|lo|les) )?(?:digas|cuentes|menciones)(?: \w+){{0,2}}? a {_WHO}",
    rf"\bnon (?:dirlo|dirglielo|raccontarlo|dire|raccontare)(?: \w+){{0,2}}? a {_WHO}",
    rf"\b(?:vertel|zeg) (?:(?:het|dit|dat) (?:niet|nooit)|niets|niks) (?:aan|tegen) {_WHO}",
    rf"\bnão (?:contes?|digas?|fales?)(?: \w+){{0,2}}? (?:a|ao|à|para|pra|pro) {_WHO}",
    r"\b(?:reste|juste|seulement)\b[^.!?\n]{0,10}? entre (?:nous|toi et moi)\b",
    r"\bgarde (?:ça|cela|le) pour toi\b",
    r"\b(?:queda|quede|solo|esto)\b[^.!?\n]{0,10}? entre (?:nosotros|tú y yo|tu y yo)\b",
    r"\b(?:resti|rimanga|resta|solo)\b[^.!?\n]{0,10}? (?:tra|fra) (?:noi|me e te)\b",
    r"\b(?:blijft|blijven|houd|alleen)\b[^.!?\n]{0,15}? (?:onder|tussen) ons\b",
    r"\b(?:fica|fique|só|apenas)\b[^.!?\n]{0,10}? entre (?:nós|você e eu)\b",
)

ASKS = (*_ENGLISH, *_GERMAN, *_OTHERS)
"""Requests for discretion."""

_OWNER = r"(?:my|our|your|his|her|their|the|mein\w*|dein\w*|unser\w*|der|die|dem|den)"
_ONE = rf"(?:{_OWNER} )?[\w@#'’-]{{1,40}}(?: (?-i:[A-ZÀ-Þ])[\w'’-]{{0,40}}){{0,2}}"
_SEVERAL = rf"{_ONE}(?:(?:,|,? (?:and|or|nor|und|oder|noch)) {_ONE}){{0,3}}"
_FIRST = r"(?:^|[,;–—-]|\b(?:and|or|nor|but|und|oder)\b) *(?:(?:and|or|nor|but|also|even|und|oder|auch|from|to|with|vor|zu|mit|bei|an) )*"
_MAY = (
    r"(?:must|should|may|might|can|could|need|needs|ought|does|do|did|is|will|would|has|darf|soll|sollte|muss|braucht|dürfen|sollen|müssen)"
    r"(?: to)?"
)
_CLOSED = r"(?= *(?:[.,;:!?)\]–—\n]|$))"

JOINS = (
    rf"{_FIRST}(?P<too>{_SEVERAL}) (?:neither|not either|auch nicht|auch nichts|ebenso ?wenig|genauso ?wenig){_CLOSED}",
    rf"{_FIRST}(?P<too>{_SEVERAL}) {_MAY}(?: not|n['’]?t|not|['’]?t)(?: know| hear| find out| see)?(?: about| of)?(?: it| this| that)? either\b",
    rf"{_FIRST}(?P<too>{_SEVERAL}) (?:darf|soll|sollte|muss|braucht|dürfen|sollen|müssen)(?: es| das| davon| dies)* auch (?:nicht|nichts)\b",
    rf"(?:\b(?:nor|neither|not even|and not|or)|\b(?:und|oder) (?:auch )?(?:nicht|nichts)|\bauch nicht|\b(?:genauso|ebenso) ?wenig|\bnoch)"
    rf"(?: {_MAY})?(?: from| to| with| vor| zu| mit| bei| an)? (?P<too>{_SEVERAL})(?: either| too| know)?{_CLOSED}",
    rf"\b(?:same (?:goes|is true|holds|applies) (?:for|to)|that (?:goes|holds|applies) (?:for|to)|gilt (?:auch |genauso |ebenso )*für) (?P<too>{_SEVERAL})"
    rf"(?: too| as well| either| auch)?{_CLOSED}",
    rf"{_FIRST}(?:nor |not )?(?P<too>nobody|no one|no-one|anybody|anyone|niemand|keiner) (?:else|sonst|anderer|anderes)(?: either| too| auch)?{_CLOSED}",
)
"""What adds people to a request that stands before it: `too` holds their names."""

ENDS = (
    rf"\byou (?:may|can|are free to|are allowed to) (?:now |finally )tell {_WHO}",
    rf"\byou (?:may|can|are free to|are allowed to) tell {_SHORT}(?: (?:about )?(?:this|that|it))? (?:now|after all|anyway)\b",
    rf"{_BEFORE} (?:may|can) (?:know|hear)(?: (?:about |of )?(?:this|that|it))? now\b",
    r"\b(?:this|that|it)(?:['’]s| is) (?:no longer a secret|no secret any ?more|not a secret any ?more)\b",
    rf"\bdu (?:darfst|kannst) (?:(?:es|das) )?{_SHORT} (?:jetzt|nun) (?:sagen|erzählen|verraten)\b",
)
"""Permissions that end discretion."""
