"""Plain words that only a command does: at a terminal they are offered as that command."""

import pytest

from adapters.plain_words import asks_for_reminder, offered

MEANT = {
    "/forget that": [
        "forget that",
        "Forget it!",
        "please delete what I just said.",
        "erase my last message",
        "Lyra, could you please forget that?",
        "Olvida eso, por favor",
        "oublie ça, s'il te plaît",
        "Dimentica quello che ho detto.",
        "Sorry, forget that",
        "forget what I told you",
        "Vergiss, was ich gesagt habe",
        "apaga isso",
        "vergeet dat alsjeblieft",
        "Vergiss das bitte",
        "vergiss das",
        "oublie ce que je viens de dire stp",
        "oublie ce que je t'ai dit",
        "tu peux oublier ça ?",
        "oublie ca svp",
        "olvídalo",
        "bórralo porfa",
        "olvida lo último que dije",
        "olvida lo que te acabo de contar",
        "¿puedes olvidar eso?",
        "kannst du das bitte wieder vergessen?",
        "vergiss das mal",
        "delete that last one",
        "zapomnij o tym",
        "забудь это",
        "bunu unut",
        "انس ذلك",
        "忘了这个吧",
        "それは忘れて",
        "그거 잊어 줘",
    ],
    "/forget all": [
        "forget everything",
        "delete all I told you",
        "vergiss alles, was ich dir gesagt habe",
        "borra todo lo que te he dicho",
        "oublie tout",
    ],
    "/summarize": [
        "summarize",
        "Summarise this, please"[:14],
        "sum up our conversation",
        "sum it up",
        "fass unser Gespräch zusammen",
        "fass das Gespräch zusammen",
        "Fass bitte unsere Unterhaltung zusammen.",
        "Gib mir eine Zusammenfassung",
        "summarize what we said so far",
        "Kannst du das zusammenfassen?",
    ],
    "/help": ["help", "Help!", "hilfe", "Hilfe!"],
    "/forget about:my cat": ["forget about my cat", "Forget my cat!", "please forget everything I told you about my cat"],
    "/forget about:Tom": [
        "forget what I said about Tom",
        "@Lyra delete everything about Tom",
        "I'd like you to forget about Tom",
        "Vergiss das mit Tom",
        "lösche alles über Tom bitte",
        "olvida lo que te dije sobre Tom",
        "oublie ce que je t'ai dit sur Tom",
        "dimentica tutto su Tom",
        "esquece o que eu disse sobre Tom",
        "vergeet wat ik heb gezegd over Tom",
        "forget what I've told you about Tom",
        "Actually, forget what I said about Tom.",
        "pls forget what i told you about Tom",
        "erase everything you know about Tom",
        "Forget all about Tom, thanks",
        "Vergiss, was ich dir über Tom erzählt habe",
        "Bitte vergiss alles, was ich dir über Tom erzählt habe!",
        "Vergeet wat ik je over Tom heb verteld",
        "¡Olvida lo que te dije sobre Tom!",
        "oublie ce que je t'ai dit au sujet de Tom",
        "Esqueça o que eu falei sobre o Tom",
        "olvida lo de Tom",
        "borra todo lo de Tom porfa",
        "puedes olvidar lo que te dije de Tom?",
        "oublie tout ce que tu sais sur Tom",
        "oublie l'histoire avec Tom",
        "oublie le truc sur Tom stp",
        "tu peux oublier ce que j'ai dit sur Tom ?",
        "vergiss was ich über Tom gesagt hab",
        "vergiss mal das mit Tom",
        "forget the thing with Tom",
    ],
    "/forget about:my mother's birthday is on March 3rd": ["Please forget that my mother's birthday is on March 3rd."],
    "/forget about:meine Katze": [
        "vergiss meine Katze",
        "Vergiss alles über meine Katze.",
        "vergiss bitte meine Katze",
        "vergiss was ich über meine Katze gesagt habe",
    ],
    "/forget about:the new bike costs": [
        "Please forget what the new bike costs.",
        "Lyra, could you forget what the new bike costs?",
    ],
    "/forget about:mein Arzt gesagt hat": ["Bitte vergiss, was mein Arzt gesagt hat!", "vergiss mal, was mein Arzt gesagt hat"],
    "/forget about:mi madre vive": ["Olvida dónde mi madre vive, por favor"],
    "/forget about:Elena": ["dimentica quello che ti ho detto di Elena"],
    "/forget about:Daan": ["vergeet wat ik over Daan heb gezegd"],
    "/forget about:Kasi": ["zapomnij, co ci mówiłam o Kasi", "zapomnij wszystko o Kasi, proszę", "zapomnij co mowilam o Kasi"],
    "/forget about:Барсика": ["забудь, что я говорила про Барсика", "забудь про Барсика"],
    "/forget about:Pamuk": ["Pamuk hakkında söylediklerimi unut", "Pamuk hakkinda soylediklerimi unut"],
    "/forget about:لولو": ["انس ما قلته لك عن لولو"],
    "/forget about:团子": ["忘掉我说的关于团子的事", "把关于团子的事忘掉吧"],
    "/forget about:もち": ["もちのことは忘れて", "もちについて話したことを忘れてください"],
    "/forget about:모찌": ["모찌에 대해 말한 것은 잊어 줘"],
    "/forget about:mon vélo coûte": ["oublie combien mon vélo coûte stp"],
    "/incognito on": [
        "this is off the record",
        "Off the record.",
        "please don't keep this",
        "Merk dir das bitte nicht!",
        "garde pas ça",
        "no guardes esto",
    ],
    "/incognito once ne garde pas ça: je bois": ["ne garde pas ça: je bois"],
    "/incognito once no apuntes esto: bebo": ["no apuntes esto: bebo"],
    "/incognito once off the record: I am pregnant": ["off the record: I am pregnant"],
    "/incognito once I am pregnant (off the record)": ["I am pregnant (off the record)"],
    "/incognito once Don't store this: the code is 4711. Is it safe?": ["Don't store this: the code is 4711.  Is it safe?"],
    "/incognito once OK, this is strictly off the record, I quit": ["OK, this is strictly off the record, I quit"],
    "/incognito once Speicher das nicht: Ich bin schwanger": ["Speicher das nicht: Ich bin schwanger"],
}
NOT_MEANT = [
    "oublie pas ce que je t'ai dit sur Tom",
    "Forget what the doctor said, I feel fine", "don't forget when the train leaves", "forget what the bike costs?? never", "vergiss nicht, wann der Zug fährt",
    "I forget where the key is", "forget what you want", "Vergiss, was die Leute sagen, und tanz!",
    "n'oublie pas Tom",
    "nie zapomnij o mleku", "не забудь про молоко", "sütü unutma", "牛乳を買うのを忘れて", "我忘了关于考试的事情", "esqueci o guarda-chuva", "忘记密码了",
    "no olvides lo de Tom",
    "tu peux oublier ton vélo ici",
    "me olvidé de lo de Tom",
    "garde pas ça dans le frigo", "je garde pas ça chez moi", "no guardes esto en la nevera",
    "he told me that off the record", "don't remember that", "the mayor said off the record that he would go", "I don't keep this shop open", "don't keep that dog waiting",
    "don't save it for later", "never remember this street", "what does off the record mean", "don't store that much wood in the shed", "merk dir das nicht nur für heute",
    "forget that I asked about the wedding, what is new?", "I always forget that", "forget about him", "do you forget that?",
    "summarize the book Dune for me", "delete my account", "forget about it, let's eat", "Forget about work for a day!", "Forget about the rain, we go anyway",
    "Delete about half of the photos", "Supprime tout de suite", "borra todo de la pizarra", "Löschwasser von oben",
    "Lösch das mit dem Brot auf der Einkaufsliste", "Vergiss meine Mutter nicht!", "Vergiss unseren Termin nicht!", "Kannst du es zusammen",
    "vergeet mijn verjaardag niet", "The doctor told me, don't keep it", "Don't save it, spend it", "lösch meine Fotos", "delete the last one", "delete the part about the dog", "erase the story with the dragon", "borra lo del final", "supprime le truc du début", "efface l'histoire du chat", "in sum, it was fine", "delete the file from my disk", "vergiss nicht, das Licht auszumachen",
]  # fmt: skip


@pytest.mark.parametrize(("line", "text"), [(line, text) for line, texts in MEANT.items() for text in texts])
def test_a_command_is_offered(line: str, text: str) -> None:
    offer = offered(text, "/")
    assert offer and offer.line == line


@pytest.mark.parametrize("text", NOT_MEANT)
def test_what_is_something_else_is_left_alone(text: str) -> None:
    assert offered(text, "/") is None


@pytest.mark.parametrize(
    ("text", "asks"), [("remind me to call Ana", "en"), ("Erinnere mich an den Termin", "de"), ("you remind me of my aunt", "")]
)
def test_a_reminder_is_asked_for(text: str, asks: str) -> None:
    assert asks_for_reminder(text) == asks
