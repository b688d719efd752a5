"""A message that is imported again is the same, whatever its file is called: it comes neither twice nor back."""

import unicodedata
from pathlib import Path
from typing import Any

import pytest

from memory.forget import tombstones
from memory.store import restoring
from memory.store.lineage import Seal
from memory.tiers.messages import known
from memory.types import Domain, NewExchange
from tests.kits.importing import CHAT, OTHER, SECRET, forget, imported, lines, texts
from tests.kits.memory_kit import KEY, Clock, at_home, corner, opened


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
    async with opened(path, clock=clock) as memory:
        here = await corner(memory, clock)
        await memory.backup(tmp_path / "backup.db")
        await imported(here, "chat", lines(CHAT))
        await forget(here, SECRET)
    await restoring.stage(tmp_path / "backup.db", KEY, path)
    restoring.decide(path)
    restoring.finish(path, clock.now())
    async with opened(path, clock=clock) as memory:
        here = await corner(memory, clock)
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
