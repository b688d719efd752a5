"""What is understood of messages that ask for discretion, tell anew what was told so, or permit to tell it, in fourteen languages."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory.places import confidences
from memory.text.told.discretion import discreet, request_in
from memory.tiers import exchanges
from memory.types import MINUTE, Discretion, DomainKind, DomainRef, Identity, Kind, NewExchange, SessionRef
from memory.view.view import View
from tests.kits.memory_kit import Clock, opened

SET = Path(__file__).parents[1] / "sets" / "confidences"
KNOWN = frozenset({"ben", "cleo"})
EVERYBODY = frozenset({"everybody"})
ASKS, FALSE = 141, 0
"""So many of the 141 are understood at least, and so many of the 52 taken for one at most."""


def kept_from(names: list[str]) -> frozenset[str]:
    """Return from whom something is kept: where a name is nobody's, from everybody."""
    meant = frozenset(name.lower() for name in names)
    return meant if meant and meant <= KNOWN else EVERYBODY


def test_what_is_understood_of_what_people_say(capsys: pytest.CaptureFixture[str]) -> None:
    cases = [json.loads(line) for line in (SET / "messages.jsonl").read_text("utf-8").splitlines()]
    missed, false, exact = [], [], 0
    for case in cases:
        found = discreet(case["text"])
        if case["kind"] == "none":
            false += [case["text"]] if found else []
            continue
        whom, wanted = kept_from(list(found.names)) if found else frozenset(), kept_from(case["names"])
        exact += whom == wanted
        missed += [] if whom == EVERYBODY or (whom and wanted <= whom) else [f"{case['text']} ({sorted(whom)})"]
    asks = sum(case["kind"] == "ask" for case in cases)
    with capsys.disabled():
        print(
            f"\nunderstood {asks - len(missed)} of {asks}, {exact} of them as narrowly as said; false {len(false)} of {len(cases) - asks}"
        )
        print(*(f"missed: {text}" for text in missed), *(f"false: {text}" for text in false), sep="\n")
    assert (asks, len(cases)) == (141, 193)
    assert asks - len(missed) >= ASKS and len(false) <= FALSE


ADA, BEN, CLEO = (Identity("console", name) for name in ("ada", "ben", "cleo"))
SPELLED = {"ru": "Бен", "zh": "本", "ja": "ベン", "ko": "벤", "ar": "بن"}
"""How Ben's friends write his name where they do not write Ben."""


class Unguarded(View):
    """The guard switched off: what tells anew what is kept from somebody is kept from nobody."""

    async def _say(self, *args: Any, may_confide: bool, correcting: bool) -> Any:
        return await super()._say(*args, may_confide=False, correcting=correcting)


def unguarded(text: str) -> Discretion | None:
    """The guard switched off: what stands beside a permission is not looked at."""
    found = request_in(text)
    return found and replace(found, told=found.told and not found.ends)


async def known_to_ben(
    folder: Path, name: str, kind: type[View], *said: str, read: Callable[[str], Discretion | None] = request_in
) -> list[tuple[dict[str, Any], list[str]]]:
    """Say what each case of a file says, each in a room of its own with Ben; return what Ben may know of it then."""
    clock, found = Clock(), list[tuple[dict[str, Any], list[str]]]()
    async with opened(folder / f"{name}.db", None, clock=clock) as memory:
        for n, line in enumerate((SET / f"{name}.jsonl").read_text("utf-8").splitlines()):
            case, keys = json.loads(line), list[int]()
            domain = await memory.places.domain(DomainRef(DomainKind.ROOM, "console", f"r{n}"), "UTC", clock.now())
            view = kind(memory.view(domain)._binding.shared, domain, ())
            session = await view.sessions.get(SessionRef("console", f"r{n}"), f"r{n}")
            told = [text for one in said for text in ([case[one]] if isinstance(case[one], str) else case[one])]
            for at, text in enumerate(["hello", *told]):
                who, speaker = (ADA, "Ada") if at else (BEN, SPELLED.get(case["language"], "Ben"))
                who, speaker = (CLEO, "Cleo") if text.startswith("Cleo: ") else (who, speaker)
                clock.forward(MINUTE)
                new = NewExchange(Kind.SAID, text, f"m{at}", clock.now(), speaker, "user", who, discretion=read(text))
                keys += [one.key for one in (await view.say(session, [new])).stored]
            told_of = {key: one.excepted for key, one in (await confidences.by_item(memory.db, keys)).items()}
            kept = {key for key, one in told_of.items() if one.others is not (BEN in one.accounts)}
            texts = await exchanges.among(memory.db, [key for key in keys[1:] if key not in kept])
            found.append((case, [one.text for one in texts.values()]))
    return found


@pytest.mark.parametrize(
    ("kind", "leaks"), [(View, False), pytest.param(Unguarded, True, marks=pytest.mark.torture)], ids=["her", "the twin"]
)
async def test_what_tells_anew_what_is_kept_from_somebody_is_kept_and_nothing_else_is(
    tmp_path: Path, kind: type[View], leaks: bool
) -> None:
    for name in ("retold", "retold_unseen", "retold_again"):
        went = await known_to_ben(tmp_path, name, kind, "told", "later")
        assert [case for case, known in went if case["told"] in known] == []
        assert [case for case, known in went if (case["later"] in known) is not (leaks or not case["kept"])] == []


async def test_what_somebody_permits_to_tell_may_be_told_and_nothing_else(tmp_path: Path) -> None:
    for name in ("released", "released_unseen"):
        for case, known in await known_to_ben(tmp_path, name, View, "told", "says"):
            told = [text for text in case["told"] if text in known]
            assert len(told) == len(case["may_be_told"]), case
            assert all(one in text for one, text in zip(case["may_be_told"], told, strict=True)), case


@pytest.mark.parametrize(
    ("read", "leaks"), [(request_in, False), pytest.param(unguarded, True, marks=pytest.mark.torture)], ids=["hers", "the twin"]
)
async def test_a_permission_that_says_anything_else_permits_nothing_and_is_kept_itself(
    tmp_path: Path, read: Callable[[str], Discretion | None], leaks: bool
) -> None:
    went = await known_to_ben(tmp_path, "released_in_doubt", View, "told", "says", read=read)
    assert any(known for _, known in went) is leaks, [(case, known) for case, known in went if known]


async def test_what_is_announced_withdrawn_or_meant_by_that_is_what_its_speaker_means(tmp_path: Path) -> None:
    went = await known_to_ben(tmp_path, "taken_back", View, "said")
    assert [(case, known) for case, known in went if known != case["open"]] == []
