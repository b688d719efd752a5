"""Every sentence that people meet comes from the catalogues, and each of them is there in every language, whole."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter

import pytest
from jinja2 import Environment, nodes

from bot.models.offline.phrases import FORMAL
from localization.sentences import DOMAIN
from tests.kits import catalogue
from tests.kits.lyra_kit import REPO

COVERED = ("adapters", "bot", "localization", "memory")
NOT_FOR_PEOPLE: Mapping[str, str] = {
    "adapters/plain_words.py: {}": "commands",
    "adapters/plain_words.py: (?:": "a pattern",
    "adapters/plain_words.py: (?P": "a pattern",
    "adapters/discord/connection.py: it did not come back": "said to the log",
    "adapters/discord/incoming/cache.py": "names of fields, and what is said to the log",
    "adapters/discord/interactions/interaction_handler.py: Mapping": "a type",
    "adapters/discord/interactions/menu.py": "said to whoever writes a command; names of commands, by which their translations are found",
    "adapters/discord/limits.py": "said to the log",
    "adapters/discord/session_client.py: a channel": "said to the log",
    "adapters/file_contents.py: .txt": "names of files",
    "adapters/matrix/account/client.py": "said to the log",
    "adapters/matrix/account/keystore.py: <": "what a debugger shows",
    "adapters/matrix/account/recovery.py: Lyra's": "a name that is kept at the homeserver",
    "adapters/matrix/account/signing.py: lyra": "a command",
    "adapters/matrix/homeserver.py: lyra": "a command",
    "adapters/matrix/outgoing/contents.py: reflection": "commands",
    "adapters/matrix/outgoing/contents.py: a blockquote": "marks of HTML",
    "adapters/matrix/rooms/invitations.py": "said to the log",
    "adapters/matrix/rooms/room.py": "names of rooms, which are kept",
    "adapters/matrix/verification/channel.py": "reasons that go beside codes, which apps say in their own words",
    "adapters/matrix/verification/verification_notices.py: lyra": "a command",
    "adapters/splitting.py": "a pattern",
    "bot/cli/checkups/discord_checkup.py: View": "a permission as Discord's pages have it",
    "bot/cli/checkups/discord_checkup.py: Send": "a permission as Discord's pages have it",
    "bot/cli/checkups/discord_checkup.py: Read": "a permission as Discord's pages have it",
    "bot/cli/checkups/discord_checkup.py: {} →": "a page of Discord's",
    "bot/cli/checkups/discord_checkup.py: characters": "said to nobody",
    "bot/cli/main.py": "helps, which usage.py says in the language that is read",
    "bot/cli/memory_commands.py": "helps, which usage.py says in the language that is read; forms of commands",
    "bot/cli/checkups/matrix_checkup.py: {}: lyra doctor": "the name of a device",
    "bot/cli/checkups/model_checkup.py: Count from one to ten, in words.": "what a model is asked",
    "bot/cli/checkups/model_checkup.py: Looks up a word that was said before": "a tool of a model",
    "bot/cli/checkups/model_checkup.py: Which colour is this? Say one word.": "what a model is asked",
    "bot/cli/remembered.py: lyra": "a command",
    "bot/cli/outcome.py": "what typer says, to be known again",
    "bot/commands/discretion_commands.py: no one": "what is parsed",
    "bot/commands/knowledge_commands.py: memory forget": "a command",
    "bot/commands/texts/receipts.py: beside": "what memory says, to be known again",
    "bot/rights/policy.py: privacy stop": "a command",
    "bot/commands/forget_commands.py: {}forget": "a command",
    "bot/config/settings.py: Value": "what pydantic says, to be known again",
    "bot/commands/settings_commands.py: time": "the name of a setting",
    "bot/conversation/domain_access.py: time": "the name of a setting",
    "bot/conversation/preferences.py: t": "names of settings",
    "bot/context/layers.py": "what a model is given",
    "adapters/discord/resuming": "said to the log",
    "memory/store/sealed_files.py": "said to the log",
    "memory/core.py: lyra": "what a key is for",
    "bot/context/packing.py": "what a model is given",
    "bot/context/prompt.py": "what a model is given",
    "bot/context/prompt_messages.py": "what a model is given",
    "bot/context/tools.py": "what a model is given, and what it calls",
    "bot/models/endpoints/written_calls.py: <": "what models write in place of a call",
    "bot/conversation/attachments.py": "what is stored of a file",
    "bot/conversation/answering/streaming.py: The preview": "said to the log",
    "bot/delivery/urls.py": "a pattern",
    "bot/dreams/reflection_posting.py: reflection": "commands",
    "bot/models/local/gemma.py: t": "prompts of the embedding model",
    "bot/models/local/gemma_conversion.py": "names in a computing graph",
    "bot/models/offline/question_analysis.py": "words of languages",
    "bot/models/offline/candidates.py": "words of languages",
    "bot/models/offline/extractive.py": "what is stored of a conversation",
    "bot/models/offline/voice.py:  wants": "what is stored of wishes",
    "bot/models/offline/possession.py": "words of languages",
    "bot/models/offline/message_kinds.py": "words of languages",
    "bot/models/endpoints/context_size.py": "what servers of models say",
    "bot/models/endpoints/probing.py": "what a model is asked",
    "bot/models/endpoints/responses.py: an error": "said to the log",
    "bot/service/sweeping.py: restore": "the name of an event",
    "bot/web/charts.py: <": "marks of SVG",
    "bot/web/server_sent_events.py: {}event": "an event as browsers take it",
    "bot/web/guard.py: camera": "a header",
    "bot/web/guard.py: default-src": "a header",
    "bot/web/http_api.py": "what Prometheus reads",
    "bot/web/pages/rights_pages.py: {}; charset": "a header",
    "bot/web/pages/rights_pages.py: attachment": "a header",
    "bot/web/serving.py: web address": "the name of a setting",
    "bot/web/signins.py": "names of settings",
    "bot/setup/config_file.py: #": "comments of the configuration, which are in English",
    "bot/setup/persona_command.py: Say": "what a model is asked",
    "bot/setup/updating.py": "commands",
    "memory/bank": "what a model is given",
    "memory/derive/checks": "words that tell something in what a model wrote",
    "memory/derive/drafting.py": "said to the log",
    "memory/derive/pipeline.py: regression": "the name of a setting",
    "memory/derive/prompts.py": "what a model is given",
    "memory/store/sealed.py: given": "the name of a state",
    "memory/index": "words and patterns of languages",
    "memory/dream/reflecting.py": "what a model is given",
    "memory/dream/schedule.py: at": "a statement",
    "memory/forget/shared_content.py": "words that carry no meaning",
    "memory/forget/tombstones.py: tombstones": "the name of a counter",
    "memory/forget/comparison_state.py: item": "a statement",
    "memory/journal/outbox.py: o.": "a statement",
    "memory/places/consent.py: bank": "the name of a setting",
    "memory/store/postgresql": "what a server says, to be known again, and what it is asked",
    "memory/store/sqlite": "what SQLite says, to be known again",
    "memory/text": "words and patterns of languages, and what a model is given",
    "memory/tiers/episodes.py": "a statement",
    "memory/tiers/exchanges.py": "a statement",
    "memory/tiers/manners.py": "what is stored of wishes, and given to a model",
    "memory/tiers/messages/words.py": "the name of a state",
    "memory/tiers/messages/seen.py": "a statement",
    "memory/tiers/profile.py": "words that a model writes, or that tell something",
    "memory/tiers/statements.py": "a statement",
    "memory/view/notices.py: gone on": "the name of a setting",
    "memory/view/thoughts.py: reflection": "the name of a setting",
    "memory/view/thoughts.py: state": "a statement",
    "memory/view/kept_messages.py: id": "a statement",
}
"""Places, or beginnings of literals there, that are for no reader of a conversation, and what they are."""
NAMED = {"CommandSpec", "command", "Parameter", "Preference"}
"""What is told its name first: names stay as they are in every language."""
CALLS = catalogue.ONE | catalogue.PLURAL | catalogue.errors()
UNHEARD = {"log", "_log", "logging", "re", "struct", "imported"}
SQL = re.compile(
    r"\b(SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|AND|OR|JOIN|ORDER BY|VALUES|CASE WHEN|NULL|PRAGMA|BEGIN|CREATE|IN \(|AS)\b"
)
WORDS = re.compile(r"[^\W\d_]{2,}")


def outside(source: str) -> Iterator[str]:
    """Yield the literals of a source that read as sentences and are in no call of a catalogue."""
    tree = ast.parse(source)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in parents:
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if " " in text.strip() and len(WORDS.findall(text)) > 1 and not SQL.search(text) and not _unheard(node, parents):
            yield text


def _unheard(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Say whether a literal reaches nobody, or does so through a catalogue."""
    if isinstance(parents.get(node), ast.Expr | ast.JoinedStr):
        return True
    child: ast.AST = node
    while (parent := parents.get(child)) is not None:
        match parent:
            case ast.Call(func=ast.Name(id=name)) if name in CALLS | UNHEARD | {"AssertionError", "TypeVar"}:
                return True
            case ast.Call(func=ast.Attribute(attr=name)) if name in catalogue.FRAMES:
                return True
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))) if name in UNHEARD:
                return True
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in NAMED and first is child:
                return True
            case ast.keyword(arg="menu"):
                return True
            case ast.Compare() | ast.Call(func=ast.Attribute(attr="get" | "removeprefix")) if isinstance(child, ast.Constant):
                return True
            case ast.Assert():
                return True
            case ast.AnnAssign(annotation=annotation) | ast.arg(annotation=annotation) if annotation is child:
                return True
            case ast.FunctionDef(returns=returns) | ast.AsyncFunctionDef(returns=returns) if returns is child:
                return True
            case ast.Subscript(slice=inner) if inner is child:
                return True
        child = parent
    return False


def _files() -> Iterator[Path]:
    for place in COVERED:
        path = REPO / place
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))


def _for_people(file: str, text: str) -> bool:
    return not any(f"{file}: {text}".startswith(place) for place in NOT_FOR_PEOPLE)


def test_no_sentence_stands_outside_of_the_catalogues() -> None:
    found = [(str(file.relative_to(REPO)), text) for file in _files() for text in outside(file.read_text("utf-8"))]
    assert [f"{file}: {text}" for file, text in found if _for_people(file, text)] == []


def outside_of_a_template(source: str) -> Iterator[str]:
    """Yield what a template says without a catalogue: words between its tags or in what is read of them, and quoted in code."""
    tree = Environment().parse(_CLASS.sub("", source))
    text = "".join(one.data for one in tree.find_all(nodes.TemplateData))
    yield from (word for word in _WRITTEN.findall(_TAG.sub(" ", _CODE.sub(" ", text))) if word != "Lyra")
    yield from (found[1] for found in _READ.finditer(text) if WORDS.search(found[1]))
    said = {id(one) for call in tree.find_all(nodes.Call) for one in call.args if _says(call)}
    for one in tree.find_all(nodes.Const):
        if isinstance(one.value, str) and id(one) not in said and re.search(r"[^\W\d_] [^\W\d_]|^[A-Z]", one.value):
            yield one.value


def _says(call: nodes.Call) -> bool:
    return isinstance(call.node, nodes.Name) and call.node.name in CALLS


_CLASS = re.compile(r"{% block mood %}\w*{% endblock %}")
_CODE = re.compile(r"<code>.*?</code>|lyra\.\w+|<!doctype html>")
_TAG = re.compile(r"<[^>]*>|&\w+;")
_SAID = re.compile(r"""["'`]([A-Z][^"'`\n]* [^"'`\n]*)["'`]""")
_WRITTEN = re.compile(r"[^\W\d_]{2,}(?:[ ,’']+[^\W\d_]+)*")
_READ = re.compile(r'(?:placeholder|title|alt|aria-label|data-(?!seen|conversation)[a-z]+)="([^"]*)"')


def test_no_sentence_of_the_page_stands_outside_of_the_catalogues() -> None:
    found = [
        f"{file.name}: {text}"
        for file in sorted(catalogue.TEMPLATES.glob("*.html"))
        for text in outside_of_a_template(file.read_text("utf-8"))
    ]
    assert found == []


def test_no_sentence_of_a_script_stands_in_it() -> None:
    scripts = sorted((catalogue.TEMPLATES.parent / "static").glob("*.js"))
    assert [f"{file.name}: {text}" for file in scripts for text in _SAID.findall(file.read_text("utf-8"))] == []
    assert _SAID.findall("""made("p", "notice-line", "It is gone."); // Shows "what is done".""") == ["It is gone."]


def test_a_sentence_of_a_template_that_stands_outside_is_found() -> None:
    source = """<p title="Its age">{{ _("Kept.") }} Not so.</p><a href="/a" aria-label="{{ _('x') }}">{{ n|told("Old ones", _("New")) }}</a>"""
    assert list(outside_of_a_template(source)) == ["Not so", "Its age", "Old ones"]


def test_a_sentence_that_stands_outside_is_found() -> None:
    source = """
NOTE = "Nothing is kept here."
QUERY = "SELECT item FROM items"
def told(n: "int | None") -> str:
    \"\"\"Say how many there are.\"\"\"
    log.info("turns taken", n=n)
    return _("There are {n} of them.", n=n) if n else f"There are none of {NOTE}."
"""
    assert sorted(outside(source)) == ["Nothing is kept here.", "There are none of {}."]


@pytest.fixture(params=catalogue.CATALOGUES, ids=" ".join)
def language(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Each language and domain that there is a catalogue for."""
    code, domain = request.param
    return code, domain


def test_every_sentence_is_translated_and_nothing_else(language: tuple[str, str]) -> None:
    code, domain = language
    said = {(one.text, one.plural) for one in (catalogue.said() if domain == DOMAIN else catalogue.framed())}
    assert len(said) > (800 if domain == DOMAIN else 40)
    ids = [one.id for one in catalogue.messages(catalogue.read(code, domain))]
    translated = {(one, "") if isinstance(one, str) else (one[0], one[1]) for one in ids}
    # What is said the same to somebody who is addressed formally stands in the language's own catalogue.
    left = set() if code.endswith(FORMAL) else said - translated
    assert (left, translated - said) == (set(), set()), "python -m tests.kits.catalogue brings them together"


def test_every_translation_is_whole(language: tuple[str, str]) -> None:
    """Nothing is left empty or unsure, each plural form is there, and the same gaps are filled in."""
    for one in catalogue.messages(catalogue.read(*language)):
        ids = [one.id] if isinstance(one.id, str) else list(one.id)
        strings = [one.string] if isinstance(one.string, str) else list(one.string or ())
        assert not one.fuzzy and all(strings) and len(strings) == len(ids), one.id
        # A plural tells the number; where there is one thing, it may say so in words.
        for id, string in zip(ids, strings, strict=True):
            assert _gaps(string) - {"n"} == _gaps(id) - {"n"} and (_gaps(string) <= _gaps(ids[-1])), one.id
            assert _edges(string) == _edges(id), f"{one.id!r} begins or ends otherwise in {language[0]}"


def _gaps(text: str) -> set[str]:
    return {name for _text, name, *_rest in Formatter().parse(text) if name is not None} if "{" in text else set()


def _edges(text: str) -> tuple[str, str]:
    return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]


def test_what_is_compiled_is_what_is_translated(language: tuple[str, str]) -> None:
    path = catalogue.source(*language)
    assert path.with_suffix(".mo").read_bytes() == catalogue.compiled(catalogue.read(*language)), "python -m tests.kits.catalogue"
