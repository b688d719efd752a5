"""Importing in its forms, and again: what came once is not taken twice."""

import json
import unicodedata
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from memory.forget import tombstones
from memory.store import restoring
from memory.store.lineage import Seal
from memory.tiers.messages import known
from memory.types import Domain, Imported, Kind, NewExchange, SessionRef
from tests.kits.importing import CHAT, OTHER, SECRET, forget, imported, lines, texts
from tests.kits.memory_kit import KEY, START, Clock, at_home, cornered

FORMS: dict[str, tuple[dict[str, Any], str]] = {
    "time": ({"created_at": "2026-03-04T20:04:00Z"}, ""),
    "seconds": ({"created_at": 1772654640}, ""),
    "speaker": ({"speaker": "ada"}, ""),
    "blanks": ({}, " \r"),
    "lines": ({}, "\u200b \r\n\n"),
    "all": ({"created_at": "2026-03-04T21:04:00+01:00", "speaker": "ada"}, " \u00a0"),
}
BERLIN: dict[str, Any] = {"zone": "Europe/Berlin", "created_at": "2026-03-04T21:04:00"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("session", [None, "chat"])
async def test_a_message_in_another_form_comes_neither_twice_nor_back(tmp_path: Path, form: str, session: str | None) -> None:
    changed, end = FORMS[form]
    here_as, as_changed = {**BERLIN, "session": session}, {**BERLIN, "session": session, **changed}
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines(CHAT, **here_as))
        await forget(here, "thanks")
        for again in (as_changed, here_as):
            kept = await imported(here, "chat", lines([f"{text}{end}" for text in CHAT], **again))
            assert (len(kept.stored), kept.known, kept.forgotten) == (0, 4, 1)


@pytest.mark.parametrize("form", FORMS)
async def test_what_an_earlier_version_kept_or_forgot_in_one_form_counts_in_another(tmp_path: Path, form: str) -> None:
    changed, end = FORMS[form]
    async with at_home(tmp_path) as here:
        for at, line in enumerate(lines(CHAT, **BERLIN)):
            as_before = next(one for one in line.former if one.id == _second_version(CHAT, at))
            session = await here.view.sessions.get(SessionRef("console", "chat"), "chat")
            await here.view.say(
                session, [NewExchange(Kind.SAID, line.content, as_before.id, START, "ada", imported=Imported(as_before.origin))]
            )
        await forget(here, "thanks")
        kept = await imported(here, "chat", lines([f"{text}{end}" for text in CHAT], **{**BERLIN, **changed}))
        assert (len(kept.stored), kept.known, kept.forgotten) == (0, 4, 1)


def _second_version(texts: Sequence[str], at: int) -> str:
    """Return the id that the second version gave to a message of a file without speakers: the digest of a chain."""
    fields = [[None, "user", None, text, "2026-03-04T21:04:00"] for text in texts]
    link = blake2b(json.dumps([None, *fields[at - 1]]).encode(), digest_size=16).hexdigest() if at else ""
    name = blake2b(json.dumps([link, None, *fields[at]]).encode(), digest_size=16).hexdigest()
    return f"h:2:{name}:1"


async def test_a_file_with_times_without_a_zone_comes_not_twice_when_the_zone_is_another(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines(CHAT, **BERLIN))
        assert (await imported(here, "chat", lines(CHAT, **{**BERLIN, "zone": "Asia/Tokyo"}))).stored == []


SHORT = "pin 4711"


@pytest.mark.parametrize(
    ("told", "changed"),
    [
        ([f"{SECRET}\nand so on", "ok"], {}),
        ([f"thanks. {SECRET.upper()}! ok"], {}),
        ([f"so {SHORT} then"], {}),
        ([f"thanks\n{SECRET} ok"], {"created_at": None, "speaker": None}),
    ],
    ids=["with the next", "between others", "few words", "without a time"],
)
async def test_what_is_forgotten_does_not_come_back_within_a_longer_message(
    tmp_path: Path, told: Sequence[str], changed: dict[str, Any]
) -> None:
    said = {**BERLIN, "speaker": "ada"}
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines([*CHAT, SHORT], **said))
        await forget(here, SECRET)
        await forget(here, SHORT)
        await imported(here, "copy of chat", lines(told, **{**said, **changed}))
        assert [text for text in await texts(here) if "quixotic" in text.casefold() or "4711" in text] == []


async def test_what_is_forgotten_does_not_come_back_line_by_line(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines([f"hello\n{SECRET}\n{SHORT}"], **BERLIN))
        await here.view.forget_session(await here.view.sessions.find("chat"))
        kept = await imported(here, "chat", lines(["hello", SECRET, SHORT, "the ferry is blue"], **BERLIN))
        assert (kept.forgotten, await texts(here)) == (3, ["the ferry is blue"])


HTML = "Für später: der Safe öffnet mit quixotic-77\nund das Fahrrad steht im Keller"
TAGS = '<p>F&uuml;r sp&auml;ter: der <b>Sa</b>fe &#246;ffnet mit <a href="https://a.example">quixotic-77</a><br />und das Fahrrad steht im Keller</p>'


@pytest.mark.parametrize(("before", "after"), [(HTML, TAGS), (TAGS, HTML)], ids=["then in HTML", "in HTML first"])
@pytest.mark.parametrize("parts", [False, True], ids=["whole", "lines"])
async def test_what_is_forgotten_does_not_come_back_with_or_without_html(
    tmp_path: Path, before: str, after: str, parts: bool
) -> None:
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines([before], **BERLIN))
        await here.view.forget_session(await here.view.sessions.find("chat"))
        said = after.replace("<br />", "\n").split("\n") if parts else [after]
        kept = await imported(here, "copy", lines([*said, "the ferry is &lt;blue&gt;"], **BERLIN))
        assert (kept.forgotten, await texts(here)) == (len(said), ["the ferry is &lt;blue&gt;"])


async def test_a_word_that_tells_nothing_keeps_nothing_away(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines(["ok"], **BERLIN))
        await forget(here, "ok")
        assert (await imported(here, "chat", lines(["ok, and the tulips?"], **BERLIN))).forgotten == 0


async def test_a_day_is_no_moment(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines(["tulips"], created_at="2026-03-04", speaker="ada"))
        await forget(here, "tulips")
        assert (await imported(here, "chat", lines(["more tulips"], created_at="2026-03-04", speaker="ada"))).forgotten == 0


@pytest.mark.parametrize("changed", [{"created_at": "2026-03-04T21:05:00"}, {"speaker": "Bo"}], ids=["time", "speaker"])
async def test_a_message_of_another_time_or_person_that_has_forgotten_words_in_it_is_another(
    tmp_path: Path, changed: dict[str, Any]
) -> None:
    said = {**BERLIN, "speaker": "ada"}
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines([SECRET, SHORT], **said))
        await here.view.forget_session(await here.view.sessions.find("chat"))
        longer = [f"{SECRET}, and I changed it", f"{SHORT}?"]
        assert len((await imported(here, "chat", lines(longer, **{**said, **changed}))).stored) == 2


async def test_a_phrase_that_somebody_had_forgotten_keeps_no_message_without_a_time_away(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines(["thank you very much", "ok"]))
        await here.view.forget_session(await here.view.sessions.find("chat"))
        assert len((await imported(here, "another", lines(["ok, thank you very much for the tulips"]))).stored) == 1


@pytest.mark.parametrize("more", [{}, {"id": 0}], ids=["without ids", "with ids"])
async def test_a_file_of_another_name_brings_nothing_twice_and_nothing_back(tmp_path: Path, more: dict[str, Any]) -> None:
    async with at_home(tmp_path) as here:
        assert len((await imported(here, "chat", lines(CHAT, **more))).stored) == 5
        await forget(here, SECRET)
        for name in ("chat", "copy of chat"):
            kept = await imported(here, name, lines([*CHAT, "and later this"], **more))
            assert (kept.known, kept.forgotten) == ((4, 1) if name == "chat" else (5, 1)), name
        assert sorted(await texts(here)) == sorted([*CHAT[:3], CHAT[4], "and later this"])


async def test_a_conversation_that_was_forgotten_whole_does_not_come_back_under_another_name(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines(CHAT))
        await here.view.forget_session(await here.view.sessions.find("chat"))
        assert (await imported(here, "copy of chat", lines(CHAT))).forgotten == 5
        assert await texts(here) == []


@pytest.mark.parametrize("before", [False, True], ids=["now", "by an earlier version"])
async def test_what_is_put_into_another_conversation_on_purpose_is_kept_there_too_but_nothing_forgotten(
    tmp_path: Path, before: bool
) -> None:
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines(CHAT), before=before)
        await forget(here, SECRET)
        for again in (False, True):
            kept = await imported(here, "mine", lines(CHAT), placed=True)
            assert (len(kept.stored), kept.known, kept.forgotten) == ((0, 4, 1) if again else (4, 0, 1))


@pytest.mark.parametrize("name", ["chat", "another chat"])
@pytest.mark.parametrize("at", [None, "2026-03-04"], ids=["without a time", "of the same day"])
async def test_two_chats_have_each_their_own_ok(tmp_path: Path, name: str, at: str | None) -> None:
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines(CHAT, created_at=at))
        assert len((await imported(here, name, lines(OTHER, created_at=at))).stored) == 3
        assert (await texts(here)).count("ok") == 3 and (await texts(here)).count("thanks") == 2


async def test_a_line_that_was_mended_in_a_file_with_times_brings_itself_and_what_stands_right_behind_it(tmp_path: Path) -> None:
    at = "2026-03-04T21:04:00"
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines([*CHAT[:1], *CHAT[2:]], created_at=at))
        assert [e.text for e in (await imported(here, "chat", lines(CHAT, created_at=at))).stored] == CHAT[1:3]


async def test_of_numbers_that_are_given_in_every_file_none_stands_for_another(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines(CHAT, id=0))
        assert len((await imported(here, "another chat", lines(OTHER, id=0))).stored) == 3


@pytest.mark.parametrize("name", ["chat", "copy of chat"])
async def test_what_an_earlier_version_imported_or_forgot_counts(tmp_path: Path, name: str) -> None:
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines(CHAT), before=True)
        await forget(here, SECRET)
        kept = await imported(here, name, lines(CHAT))
        assert (len(kept.stored), kept.known, kept.forgotten) == (0, 4, 1)
        assert len((await imported(here, "another chat", lines(OTHER[:2]))).stored) == 2, "its ok is not theirs"
        await here.view.forget_session(await here.view.sessions.find("chat"))
        assert (await imported(here, name, lines(CHAT))).stored == []


@pytest.mark.parametrize("other", ["time", "spaces", "speaker", "letters", "marks", "unseen", "id", "conversation", "neighbour"])
async def test_what_is_forgotten_comes_back_from_no_export_of_another_form(tmp_path: Path, other: str) -> None:
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines(CHAT, created_at="2026-03-04T21:04:00", speaker="Ada"))
        await forget(here, SECRET)
        changed: dict[str, Any] = {"created_at": "2026-03-04T21:04:00", "speaker": "Ada"}
        told = list(CHAT)
        match other:
            case "time":
                changed["created_at"] = "2026-03-04T21:04:00Z"
            case "spaces":
                told = [f"{text}  " for text in CHAT]
            case "letters":
                told = [unicodedata.normalize("NFD", text).upper() for text in CHAT]
            case "marks":
                told = [f"“{text}.”".replace("-", "\u2011") for text in CHAT]
            case "unseen":
                told = [text.replace("e", "e\u200b") for text in CHAT]
            case "speaker":
                changed["speaker"] = "ada lovelace"
            case "id":
                changed["id"] = "given"
            case "conversation":
                changed["session"] = "elsewhere"
            case _:
                told = [SECRET]
        await imported(here, "another", lines(told, **changed))
        assert [text for text in await texts(here) if "quixotic" in text.casefold().replace("\u200b", "")] == []


async def test_what_an_earlier_version_forgot_by_its_words_and_marks_stays_forgotten(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        name = here.memory.places.seal.id(here.domain.ref, "words", SECRET)
        async with here.memory.db.transaction() as tx:
            await tombstones.put_up(tx, [name], here.clock.now())
        assert (await imported(here, "chat", lines(CHAT))).forgotten == 1
        assert SECRET not in await texts(here)


@pytest.mark.file
async def test_a_backup_from_before_the_import_does_not_let_it_come_back_either(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "lyra.db"
    async with cornered(path, clock=clock) as here:
        await here.memory.backup(tmp_path / "backup.db")
        await imported(here, "chat", lines(CHAT))
        await forget(here, SECRET)
    await restoring.stage(tmp_path / "backup.db", KEY, path)
    restoring.decide(path)
    restoring.finish(path, clock.now())
    async with cornered(path, clock=clock) as here:
        assert (await imported(here, "copy of chat", lines(CHAT))).forgotten == 1
        assert SECRET not in await texts(here)


async def test_without_the_name_that_holds_in_any_conversation_everything_comes_twice_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(seal: Seal, domain: Domain, offered: NewExchange) -> list[str]:
        return []

    async def nothing_in_them(*given: object) -> set[str]:
        return set()

    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines(CHAT))
        await forget(here, SECRET)
        monkeypatch.setattr(known, "_names_anywhere", none)
        monkeypatch.setattr(known, "hold_forgotten", nothing_in_them)
        assert len((await imported(here, "copy of chat", lines(CHAT))).stored) == 5
        assert SECRET in await texts(here)


async def test_few_words_that_anybody_may_say_are_imported_though_somebody_had_them_forgotten(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await imported(here, "chat", lines(["thank you very much", "ok"]))
        await here.view.forget_session(await here.view.sessions.find("chat"))
        assert len((await imported(here, "another", lines(["hello", "thank you very much", "ok"]))).stored) == 3
