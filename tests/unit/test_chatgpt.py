"""Importing ChatGPT's export: every conversation, every branch, with the dates it really had."""

import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from memory.transfer.chatgpt import read_chatgpt
from memory.transfer.detect import read_file
from memory.transfer.message import BadLine, Incoming

T0 = 1_700_000_000.0
Found = list[Incoming | BadLine]


def node(
    key: str, parent: str | None, role: str = "user", text: object = None, at: float | None = None, **more: Any
) -> dict[str, Any]:
    parts = text if isinstance(text, list) else [key if text is None else text]
    content = {"content_type": "text", "parts": parts}
    message = {"id": f"m-{key}", "author": {"role": role, "name": None}, "create_time": at, "content": content, **more}
    return {"id": key, "message": message, "parent": parent, "children": []}


def chat(
    *nodes: dict[str, Any], current: object = None, title: str | None = "Tea", key: str = "c1", **more: Any
) -> dict[str, Any]:
    mapping: dict[str, dict[str, Any]] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    mapping |= {each["id"]: each for each in nodes}
    for each in nodes:
        if each["parent"] in mapping:
            mapping[each["parent"]]["children"].append(each["id"])
    times = {"create_time": T0, "update_time": T0 + 99}
    return {
        "title": title,
        **times,
        "mapping": mapping,
        "current_node": current or nodes[-1]["id"],
        "conversation_id": key,
        **more,
    }


def read(value: object) -> Found:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return list(read_chatgpt(io.BytesIO(data)))


def texts(found: Found) -> dict[str | None, list[str]]:
    sessions: dict[str | None, list[str]] = {}
    for item in found:
        if isinstance(item, Incoming):
            sessions.setdefault(item.session, []).append(item.content)
    return sessions


def told(found: Incoming | BadLine) -> tuple[int, str]:
    assert isinstance(found, BadLine)
    return found.line, str(found.reason)


def reasons(found: Found) -> list[str]:
    return [str(item.reason) for item in found if isinstance(item, BadLine)]


TEA = chat(node("ask", "root", at=T0 + 1), node("answer", "ask", "assistant", at=T0 + 2.5))


def test_a_conversation_becomes_a_session_with_its_title_and_real_dates() -> None:
    at = int(T0) * 1_000_000
    assert read([TEA]) == [
        Incoming(1, "Tea", "chatgpt:c1", "user", None, "ask", at + 1_000_000, "m-ask"),
        Incoming(1, "Tea", "chatgpt:c1", "assistant", "ChatGPT", "answer", at + 2_500_000, "m-answer"),
    ]


@pytest.mark.parametrize("at", [None, 0, "2024", True, 1e99])
def test_a_message_whose_time_is_unknown_is_not_taken_to_be_of_the_time_of_the_one_before(at: Any) -> None:
    found = read([chat(node("ask", "root", at=T0 + 1), node("answer", "ask", "assistant", at=at))])
    assert [one.timed for one in found if isinstance(one, Incoming)] == [True, False]


@pytest.mark.parametrize(
    "wrap", [lambda c: c, lambda c: [c], lambda c: {"version": [1], "conversations": [c], "more": {"a": [{}]}}]
)
def test_one_conversation_an_array_and_a_wrapped_array_are_all_read(wrap: Any) -> None:
    assert read(wrap(TEA)) == read([TEA])


def test_an_answer_generated_again_and_an_edited_question_are_kept_as_branches() -> None:
    value = chat(
        node("q1", "root", at=T0 + 1),
        node("first answer", "q1", "assistant", at=T0 + 2),
        node("second answer", "q1", "assistant", at=T0 + 20),
        node("q2 as first asked", "second answer", at=T0 + 30),
        node("its answer", "q2 as first asked", "assistant", at=T0 + 31),
        node("q2 edited", "second answer", at=T0 + 40),
        node("end", "q2 edited", "assistant", at=T0 + 41),
    )
    found = read([value])
    assert texts(found) == {
        "Tea": ["q1", "second answer", "q2 edited", "end"],
        "Tea (branch 2)": ["first answer"],
        "Tea (branch 3)": ["q2 as first asked", "its answer"],
    }
    places = {item.session: item.place for item in found if isinstance(item, Incoming)}
    assert places == {
        "Tea": "chatgpt:c1",
        "Tea (branch 2)": "chatgpt:c1#first answer",
        "Tea (branch 3)": "chatgpt:c1#q2 as first asked",
    }
    times = {item.content: item.created_at for item in found if isinstance(item, Incoming)}
    assert times["first answer"] == int(T0 + 2) * 1_000_000
    assert times["its answer"] == int(T0 + 31) * 1_000_000
    assert not reasons(found)


def test_a_branch_nobody_said_anything_in_takes_no_number() -> None:
    value = chat(node("q", "root"), node("search", "q", "tool"), node("lost", "q", "assistant"), node("kept", "q", "assistant"))
    assert texts(read([value])) == {"Tea": ["q", "kept"], "Tea (branch 2)": ["lost"]}


def test_without_a_current_message_the_newest_answer_is_the_conversation() -> None:
    value = chat(node("q", "root"), node("old", "q", "assistant"), node("new", "q", "assistant"))
    value["current_node"] = None
    found = read([value])
    assert texts(found) == {"Tea": ["q", "new"], "Tea (branch 2)": ["old"]}
    assert not reasons(found)


def test_a_message_without_a_date_gets_the_one_before_it_or_the_conversation_s() -> None:
    found = read([chat(node("a", "root"), node("b", "a", at=T0 + 5), node("c", "b"), node("d", "c", at=0))])
    base = int(T0) * 1_000_000
    assert [item.created_at for item in found if isinstance(item, Incoming)] == [base, *[base + 5_000_000] * 3]


def test_pictures_become_captions_and_speech_its_transcript() -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1", "width": 1}
    sound = {"content_type": "real_time_user_audio_video_asset_pointer", "audio_asset_pointer": {}}
    speech = {"content_type": "audio_transcription", "text": "hello there", "direction": "in"}
    found = read([chat(node("a", "root", text=[picture, "what is this?"]), node("b", "a", text=[speech, sound, None]))])
    assert texts(found) == {"Tea": ["[image]\nwhat is this?", "hello there"]}


def test_what_nobody_said_is_left_out_silently() -> None:
    hidden = {"is_visually_hidden_from_conversation": True}
    profile = {"content_type": "user_editable_context", "user_profile": "I am Ada", "user_instructions": ""}
    found = read(
        [
            chat(
                node("sys", "root", "system", text=""),
                node("sys2", "sys", "system", metadata=hidden),
                node("profile", "sys2", content=profile),
                node("q", "profile", metadata={"is_visually_hidden_from_conversation": False}),
                node("call", "q", "assistant", recipient="python", content={"content_type": "code", "text": "1+1"}),
                node("result", "call", "tool", content={"content_type": "execution_output", "text": "2"}),
                node("thought", "result", "assistant", content={"content_type": "thoughts", "thoughts": [{"content": "hm"}]}),
                node("blank", "thought", "assistant", text=" \n"),
                node("shown", "blank", "assistant", recipient="all", content={"content_type": "code", "text": "print(2)"}),
                node("note", "shown", "system"),
            )
        ]
    )
    assert texts(found) == {"Tea": ["q", "print(2)", "note"]}
    assert not reasons(found)


def test_titles_are_one_clean_line_and_never_missing() -> None:
    titles = ["two\nlines\u0000", None, " "]
    assert [read([chat(node("q", "root"), title=title)])[0].session for title in titles] == ["two lines", "Untitled", "Untitled"]  # type: ignore[union-attr]


def test_conversations_of_the_same_title_keep_their_own_places() -> None:
    found = read([chat(node("q", "root"), key="c1"), chat(node("q", "root"), key="c2")])
    assert [(item.line, item.place) for item in found if isinstance(item, Incoming)] == [(1, "chatgpt:c1"), (2, "chatgpt:c2")]


def test_old_exports_have_the_conversation_s_id_under_another_name_or_none() -> None:
    value = chat(node("q", "root"), node("r", "root"), current="q", id="old")
    del value["conversation_id"]
    assert [item.place for item in read([value]) if isinstance(item, Incoming)] == ["chatgpt:old", "chatgpt:old#r"]
    del value["id"]
    assert [item.place for item in read([value]) if isinstance(item, Incoming)] == ["chatgpt:m-q", "chatgpt:m-q#r"]


def test_lone_surrogates_nul_and_huge_numbers_do_not_cost_a_conversation() -> None:
    value = chat(node("q", "root", text="half \ud83d \udc00 \U0001f600 a\0b"), safe=10**400)
    data = json.dumps([value, TEA]).encode().replace(b'"safe": 1', b'"safe": 1e5, "other": 1')
    assert texts(read(data)) == {"Tea": ["half \ufffd \ufffd \U0001f600 ab", "ask", "answer"]}


def test_a_chain_of_ten_thousand_messages_is_read_in_order() -> None:
    nodes = [node(f"n{i}", f"n{i - 1}" if i else "root") for i in range(10_000)]
    assert texts(read([chat(*nodes)])) == {"Tea": [f"n{i}" for i in range(10_000)]}


def test_ten_thousand_branches_are_read_too() -> None:
    nodes = [node("q", "root"), *(node(f"a{i}", "q", "assistant") for i in range(10_000))]
    found = read([chat(*nodes)])
    assert len(texts(found)) == 10_000
    assert len(found) == 10_001


def test_a_big_export_is_never_held_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    filler = chat(*(node(f"n{i}", f"n{i - 1}" if i else "root", text="x" * 10_000) for i in range(20)))
    with path.open("w") as file:
        file.write("[" + ",".join([json.dumps(filler)] * 50) + "]")
    assert path.stat().st_size > 10_000_000
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_file(path, "auto", "UTC"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 1_000
    assert peak < 4_000_000


def test_very_long_titles_and_numbers_take_no_time() -> None:
    value = chat(node("q", "root"), title="\\\n" * 5_000_000)
    found = read(json.dumps([value, TEA]).encode().replace(b'"c1"', b"1" * 1_000_000, 1))
    assert reasons(found) == ["conversation 1 is not JSON"]
    assert len(found) == 3


def test_files_that_were_joined_are_read_one_after_the_other() -> None:
    assert len(read(json.dumps([TEA]).encode() * 2 + b"\n" + json.dumps(TEA).encode())) == 6


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_an_export_is_recognized_by_its_content(tmp_path: Path, indent: int | None, mark: bytes) -> None:
    path = tmp_path / "whatever.txt"
    for value in ([TEA], TEA, {"conversations": [TEA]}):
        path.write_bytes(mark + b"\n" + json.dumps(value, indent=indent).encode())
        assert list(read_file(path, "auto", "UTC")) == read([TEA])


def test_reading_can_stop_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([TEA] * 1_000))
    found = read_file(path, "chatgpt", "UTC")
    assert next(found).line == 1
    found.close()  # type: ignore[attr-defined]
