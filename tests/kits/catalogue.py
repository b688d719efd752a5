"""The sentences of the program as its sources say them, and the catalogues of their translations.

`python -m tests.kits.catalogue` brings the catalogues up to date with the sources and compiles them.
"""

import ast
import inspect
import io
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import typer
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment, nodes

from bot.cli.main import cli
from bot.models.offline.phrases import FORMAL
from bot.models.offline.spoken_languages import SPOKEN
from localization.current_language import ENGLISH, LANGUAGES
from localization.sentences import DOMAIN, LOCALE, VOICE, Explained
from tests.kits.lyra_kit import REPO

PACKAGES = ("localization", "memory", "adapters", "bot")
TEMPLATES = REPO / "bot" / "web" / "templates"
# When it was written says nothing of a catalogue, and would change with every sentence.
_NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)
ONE, PLURAL, FRAMES = {"_", "lazy", "marked"}, {"ngettext", "lazy_plural"}, {"framed"}
CATALOGUES = (
    *((code, DOMAIN) for code in LANGUAGES if code != ENGLISH),
    *((code, VOICE) for code in (*SPOKEN.values(), f"de{FORMAL}") if code != ENGLISH),
)
"""The languages and domains that there are catalogues for."""
_FOR_NOBODY = frozenset({"bot/context/tools.py", "bot/conversation/answering/streaming.py"})
"""Files whose errors are told to a model, and to the log."""


@dataclass(frozen=True, slots=True, order=True)
class Said:
    """A sentence where it is said; `plural` is empty where it has none."""

    text: str
    plural: str
    file: str


@cache
def said() -> Sequence[Said]:
    """Return every sentence of the program, each as often as it is said."""
    found = _in_sources(ONE | PLURAL | errors())
    found += [one for file in sorted(TEMPLATES.glob("*.html")) for one in _in_template(file)]
    return [*found, *(Said(text, "", "bot/cli/main.py") for text in sorted(helps()))]


@cache
def framed() -> Sequence[Said]:
    """Return every sentence of the offline voice."""
    return _in_sources(FRAMES)


def _in_sources(names: Set[str]) -> list[Said]:
    return [one for name, one in _calls() if name in names]


@cache
def _calls() -> Sequence[tuple[str, Said]]:
    """Return what any of the calls says in a source, and the name of the call."""
    return [one for file, source in _sources().items() for one in _in_source(file, source)]


@cache
def _sources() -> Mapping[Path, ast.Module]:
    files = [file for package in PACKAGES for file in sorted((REPO / package).rglob("*.py"))]
    return {file: ast.parse(file.read_text("utf-8")) for file in files}


@cache
def errors() -> Set[str]:
    """Return the names of the errors that are given a sentence for people."""
    classes = [node for source in _sources().values() for node in ast.walk(source) if isinstance(node, ast.ClassDef)]
    bases = {one.name: {base.id for base in one.bases if isinstance(base, ast.Name)} for one in classes}
    found = {Explained.__name__}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return found


def _in_source(file: Path, source: ast.Module) -> Iterator[tuple[str, Said]]:
    for call in ast.walk(source):
        name = _called(call) if isinstance(call, ast.Call) else ""
        if isinstance(call, ast.Call) and name:
            texts = [one.value for one in call.args[:2] if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            if texts:
                one = Said(texts[0], texts[1] if name in PLURAL else "", str(file.relative_to(REPO)))
                if name not in errors() or one.file not in _FOR_NOBODY:
                    yield name, one


def _called(call: ast.Call) -> str:
    """Return the name of what is called if it says something: a function, or a method of the voice's phrases."""
    match call.func:
        case ast.Name(id) if id in ONE | PLURAL | errors():
            return id
        case ast.Attribute(attr=attr) if attr in FRAMES:
            return attr
    return ""


def _in_template(file: Path) -> Iterator[Said]:
    for call in Environment().parse(file.read_text("utf-8")).find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name in ONE | PLURAL:
            texts = [one.value for one in call.args[:2] if isinstance(one, nodes.Const) and isinstance(one.value, str)]
            yield Said(texts[0], texts[1] if call.node.name in PLURAL else "", str(file.relative_to(REPO)))


def helps() -> set[str]:
    """Return the help of the command line: of its commands, their options and arguments, and of those that it gets by itself."""
    found: set[str] = set()
    groups: list[object] = [typer.main.get_command(cli)]
    while groups:
        command = groups.pop()
        found.add(inspect.cleandoc(str(getattr(command, "help", "") or "")))
        found |= {str(one.help) for one in getattr(command, "params", ()) if getattr(one, "help", None)}
        groups += list(getattr(command, "commands", {}).values())
    return found - {""}


def template(domain: str = DOMAIN) -> Catalog:
    """Return a catalogue of all sentences, without translations."""
    catalogue = Catalog(domain=domain, charset="utf-8", fuzzy=False)
    for one in sorted(said() if domain == DOMAIN else framed()):
        catalogue.add((one.text, one.plural) if one.plural else one.text, locations=[(one.file, 0)], auto_comments=())
    return catalogue


def source(language: str, domain: str = DOMAIN) -> Path:
    """Return the file that holds the translations into a language."""
    return LOCALE / language / "LC_MESSAGES" / f"{domain}.po"


def read(language: str, domain: str = DOMAIN) -> Catalog:
    """Return the translations into a language."""
    with source(language, domain).open("rb") as file:
        return read_po(file, locale=language.removesuffix(FORMAL), domain=domain)


def compiled(catalogue: Catalog) -> bytes:
    """Return a catalogue as gettext reads it."""
    written = io.BytesIO()
    write_mo(written, catalogue)
    return written.getvalue()


def messages(catalogue: Catalog) -> list[Message]:
    """Return what a catalogue translates, without its header."""
    return [one for one in catalogue if one.id]


def update(language: str, domain: str) -> None:
    """Bring the catalogue of a language up to date: new sentences stand in it untranslated, those that are said no more go.

    What is said the same to somebody who is addressed formally is left out there.
    """
    path = source(language, domain)
    path.parent.mkdir(parents=True, exist_ok=True)
    locale = language.removesuffix(FORMAL)
    catalogue = read(language, domain) if path.exists() else Catalog(locale=locale, domain=domain, fuzzy=False)
    catalogue.update(template(domain), no_fuzzy_matching=True)
    if language.endswith(FORMAL):
        for one in messages(catalogue):
            if not one.string:
                catalogue.delete(one.id)
    for one in messages(catalogue):
        # The braces say it already, and tests compare the placeholders.
        one.flags.discard("python-brace-format")
    catalogue.obsolete.clear()
    catalogue.project, catalogue.version, catalogue.header_comment = "Lyra", "", "# What Lyra says, in another language."
    catalogue.creation_date = catalogue.revision_date = _NO_DATE
    catalogue.last_translator = catalogue.language_team = catalogue.msgid_bugs_address = ""
    with path.open("wb") as file:
        write_po(file, catalogue, sort_output=True, omit_header=False, no_location=True, width=120)
    path.with_suffix(".mo").write_bytes(compiled(catalogue))


if __name__ == "__main__":
    for code, domain in CATALOGUES:
        update(code, domain)
        left = sum(not one.string or not all(one.string) for one in messages(read(code, domain)))
        print(f"{code}, {domain}: {left} to translate")
