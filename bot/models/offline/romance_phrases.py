"""The sentences of the voice in Spanish and in French, to somebody who is addressed with "tú" or "tu"."""

from datetime import date, datetime

from bot.models.offline.date_texts import local_time
from bot.models.offline.phrases import English


class Spanish(English):
    """The voice's sentences in Spanish."""

    kept, thanks, also, someone = "Guardado.", "De nada.", "Además", "alguien"
    unkept = "Escuchado, y no guardado."
    not_read = "Guardé que llegó, pero no lo que contiene: eso no lo puedo leer ni oír."
    no_model = "Soy Lyra, y no hay ningún modelo conectado: guardo, encuentro y resumo lo que me cuentas."
    nothing = "Sobre eso todavía nada."
    asker, that = "Lo que sé de ti:", "Lo que tengo de eso:"
    among = ", entre otras cosas"
    to = " al "
    _months = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()
    _or = "o"
    _day_names = ("hoy", "ayer")

    def hello(self, name: str) -> str:
        return f"Hola, {name}." if name else "Hola."

    def goodbye(self, name: str) -> str:
        return f"Hasta luego, {name}." if name else "Hasta luego."

    def lacking(self, words: list[str]) -> str:
        return f"Todavía nada sobre {self._listed(words)}."

    def without_answer(self, words: list[str]) -> str:
        return f"Guardé algo sobre {self._listed(words)}, pero no encontré ahí ninguna respuesta; la orden recall busca más."

    def nothing_from(self, when: str) -> str:
        return f"Todavía nada del {when}."

    def nothing_until(self, when: str) -> str:
        return f"Todavía nada hasta el {when}."

    def said(self, who: str, when: str, *, asks: bool, own: bool, also: bool) -> str:
        verb = ("preguntaste" if asks else "dijiste") if own else "preguntó" if asks else "dijo"
        text = f"{'Me' if own else who} {verb} {when}"
        return f"{self.also}, {f'me {verb} {when}' if own else text}" if also else text

    def wrote(self, where: str, who: str, when: str, *, asks: bool, own: bool, also: bool) -> str:
        verb = ("preguntaste" if asks else "escribiste") if own else f"{who} {'preguntó' if asks else 'escribió'}"
        text = f"{where}, {verb} {when}"
        return f"{self.also}, {text[0].lower()}{text[1:]}" if also else text

    def imported(self, session: str, assistant: str) -> str:
        return f"En {session}, importado de {assistant}"

    def on(self, day: str, *, several: bool) -> str:
        return f"{'Del' if several else 'El'} {day}"

    def around(self, day: str) -> str:
        return f"Alrededor del {day}:"

    def by(self, name: str) -> str:
        return f"{name} dijo:"

    def about(self, what: str) -> str:
        return f"Sobre {what}:"

    def told(self, day: str) -> str:
        return f"contado el {day}"

    def moment(self, said_at: int, now: int, time_zone: str) -> str:
        return f"{self.day(said_at, now, time_zone)} a las {local_time(said_at, time_zone):%H:%M}"

    def date(self, day: date) -> str:
        return f"{day.day} de {self._months[day.month - 1]} de {day.year}"

    def _on(self, then: datetime) -> str:
        return f"el {self.date(then)}"


class French(English):
    """The voice's sentences in French."""

    kept, thanks, also, someone = "C'est noté.", "De rien.", "De plus", "quelqu'un"
    unkept = "C'est entendu, et rien n'est gardé."
    not_read = "J'ai gardé que c'est arrivé, mais pas ce que c'est : je ne peux ni le lire ni l'entendre."
    no_model = "Je suis Lyra, et aucun modèle n'est connecté : je garde, retrouve et résume ce que tu me dis."
    nothing = "Encore rien à ce sujet."
    asker, that = "Ce que je sais de toi :", "Ce que j'en ai :"
    among = ", entre autres"
    to = " au "
    _months = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
    _or = "ou"
    _day_names = ("aujourd'hui", "hier")

    def hello(self, name: str) -> str:
        return f"Bonjour, {name}." if name else "Bonjour."

    def goodbye(self, name: str) -> str:
        return f"À bientôt, {name}." if name else "À bientôt."

    def lacking(self, words: list[str]) -> str:
        return f"Encore rien sur {self._listed(words)}."

    def without_answer(self, words: list[str]) -> str:
        return f"J'ai gardé quelque chose sur {self._listed(words)}, sans y trouver de réponse ; la commande recall cherche plus loin."

    def nothing_from(self, when: str) -> str:
        return f"Encore rien du {when}."

    def nothing_until(self, when: str) -> str:
        return f"Encore rien jusqu'au {when}."

    def said(self, who: str, when: str, *, asks: bool, own: bool, also: bool) -> str:
        subject = ("tu m'as" if also else "Tu m'as") if own else f"{who} a"
        text = f"{subject} {'demandé' if asks else 'dit'} {when}"
        return f"{self.also}, {text}" if also else text

    def wrote(self, where: str, who: str, when: str, *, asks: bool, own: bool, also: bool) -> str:
        text = f"{where}, {'tu as' if own else f'{who} a'} {'demandé' if asks else 'écrit'} {when}"
        return f"{self.also}, {text[0].lower()}{text[1:]}" if also else text

    def imported(self, session: str, assistant: str) -> str:
        return f"Dans {session}, importé de {assistant}"

    def on(self, day: str, *, several: bool) -> str:
        return f"{'Du' if several else 'Le'} {day}"

    def around(self, day: str) -> str:
        return f"Autour du {day} :"

    def by(self, name: str) -> str:
        return f"{name} a dit :"

    def about(self, what: str) -> str:
        return f"Au sujet de {what} :"

    def told(self, day: str) -> str:
        return f"dit le {day}"

    def moment(self, said_at: int, now: int, time_zone: str) -> str:
        return f"{self.day(said_at, now, time_zone)} à {local_time(said_at, time_zone):%H:%M}"

    def date(self, day: date) -> str:
        return f"{'1er' if day.day == 1 else day.day} {self._months[day.month - 1]} {day.year}"

    def _on(self, then: datetime) -> str:
        return f"le {self.date(then)}"
