"""What is damaged in ChatGPT's export costs nothing around it."""

import io
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.transfer.chatgpt import read_chatgpt
from memory.transfer.message import FileUnusable, Incoming
from tests.unit.test_chatgpt import TEA, chat, node, read, reasons, texts, told


class TestDamage:
    def broken(self, change: Any) -> tuple[dict[str | None, list[str]], list[str]]:
        value = chat(node("a", "root"), node("b", "a"), node("c", "b"))
        change(value)
        found = read([TEA, value])
        assert found[:2] == read([TEA])
        assert all(item.line == 2 for item in found[2:])
        return texts(found[2:]), reasons(found)

    def test_messages_in_a_circle_are_kept_once(self) -> None:
        kept, why = self.broken(lambda value: value["mapping"]["a"].update(parent="c"))
        assert kept == {"Tea": ["a", "b", "c"]}
        assert "its messages follow each other in a circle" in why[0]

    def test_a_message_that_follows_itself_is_kept_once(self) -> None:
        kept, why = self.broken(lambda value: value["mapping"]["b"].update(parent="b", children=["b", "c"]))
        assert sorted(text for session in kept.values() for text in session) == ["a", "b", "c"]
        assert why

    def test_a_missing_parent_is_found_through_its_children(self) -> None:
        kept, why = self.broken(lambda value: value["mapping"]["b"].update(parent="gone"))
        assert kept == {"Tea": ["a", "b", "c"]}
        assert why == ["conversation 2: the message before one is not there"]

    def test_a_missing_message_leaves_two_halves(self) -> None:
        kept, why = self.broken(lambda value: value["mapping"].pop("b"))
        assert kept == {"Tea": ["c"], "Tea (branch 2)": ["a"]}
        assert why == ["conversation 2: a message that should follow is not there, the message before one is not there"]

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            (lambda v: v.update(current_node="gone"), "its current message is not there"),
            (lambda v: v.update(current_node=[1]), "its current message is not there"),
            (lambda v: v["mapping"].update(d=5), "a node is not an object"),
            (lambda v: v["mapping"]["c"].update(message="text"), "a message is not an object"),
            (lambda v: v["mapping"]["c"].update(parent=5), "the message before one is not there"),
            (lambda v: v["mapping"]["c"].update(children="x"), "a list of following messages has the wrong type"),
            (lambda v: v["mapping"]["c"].update(children=["gone"]), "a message that should follow is not there"),
            (lambda v: v["mapping"]["c"]["message"].update(author=None), "a message's author or content has the wrong type"),
            (lambda v: v["mapping"]["c"]["message"].update(content=[1]), "a message's author or content has the wrong type"),
            (lambda v: v["mapping"]["c"]["message"]["content"].update(parts="x"), "a message's parts have the wrong type"),
            (lambda v: v["mapping"]["c"]["message"]["content"].update(parts=[5]), "a message's parts have the wrong type"),
            (
                lambda v: v["mapping"]["c"]["message"].update(author={"role": "critic"}),
                "a message's author is none of user, assistant, system, tool",
            ),
            *(
                (
                    lambda v, at=at: v["mapping"]["c"]["message"].update(create_time=at),
                    "a create_time is not a time in seconds since 1970",
                )
                for at in (1e99, -1, float("nan"), True, "2024-01-01")
            ),
            (lambda v: v["mapping"]["c"]["message"]["content"].update(parts=["x" * 2_000_000]), "a message is longer than 1 MiB"),
        ],
    )
    def test_what_is_wrong_is_named_and_the_rest_is_kept(self, change: Any, why: str) -> None:
        kept, named = self.broken(change)
        assert named == [f"conversation 2: {why}"]
        assert kept["Tea"][:2] == ["a", "b"]

    @pytest.mark.parametrize("value", [5, None, "text", [], {}, {"mapping": []}])
    def test_a_conversation_of_the_wrong_type_costs_only_itself(self, value: object) -> None:
        found = read([value, TEA])
        assert told(found[0]) == (1, "conversation 1 has no messages")
        assert len(found) == 3

    def test_a_conversation_nested_without_end_costs_only_itself(self) -> None:
        deep = b'{"mapping": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"
        found = read(b"[" + deep + b"," + json.dumps(TEA).encode() + b"]")
        assert told(found[0]) == (1, "conversation 1 is nested too deeply")
        assert len(found) == 3

    def test_a_conversation_that_is_no_json_costs_only_itself(self) -> None:
        found = read(b'[{"mapping": oops}, ' + json.dumps(TEA).encode() + b"]")
        assert told(found[0]) == (1, "conversation 1 is not JSON")
        assert len(found) == 3

    def test_a_cut_off_file_gives_the_conversations_before_the_cut(self) -> None:
        data = json.dumps([TEA] * 7).encode()
        assert told(read(data[:-40])[-1]) == (7, "the file ends in the middle of conversation 7")
        assert len(read(data[:-40])) == 6 * 2 + 1
        assert told(read(data[:-1])[-1]) == (7, "the file ends after conversation 7")

    def test_damage_in_the_middle_gives_the_conversations_before_it(self) -> None:
        data = json.dumps([TEA] * 500).encode()
        middle = len(data) // 2
        for junk in (b"\x00\xff", b'"', b"\\", b"}}}}]]", b'}{"', b"[[[["):
            found = read(data[:middle] + junk + data[middle:])
            assert found[:498] == read(data)[:498]
            assert 1 <= len(reasons(found)) < 5

    @pytest.mark.parametrize(
        "data",
        [b"hello", b"5", b"[1, 2]", b"{}", b'{"conversations": 5}', b'[{"mapping": {"a": {}}', b"\xff\xff", b"[}", b'["\x00"]'],
    )
    def test_what_is_no_export_is_refused(self, data: bytes) -> None:
        with pytest.raises(FileUnusable, match="ChatGPT"):
            read(data)

    @pytest.mark.parametrize("data", [b"", b" \n", b"[]", b'{"conversations": []}'])
    def test_an_empty_export_holds_nothing(self, data: bytes) -> None:
        assert read(data) == []

    @given(st.binary(max_size=200))
    def test_no_bytes_raise_anything_but_the_clear_error(self, data: bytes) -> None:
        with suppress(FileUnusable):
            read(data)

    @given(st.text('[]{}",:\\\n 1a', max_size=30), st.sampled_from(["", "[", '[{"mapping":{', '{"a":1,"conversations" : [{},']))
    def test_brackets_and_quotes_in_any_order_read_the_same_from_a_slow_pipe(self, text: str, start: str) -> None:
        class Slow(io.BytesIO):
            def read(self, size: int | None = -1) -> bytes:
                return super().read(3)

        def outcome(stream: io.BytesIO) -> object:
            try:
                return list(read_chatgpt(stream))
            except FileUnusable as unusable:
                return str(unusable)

        data = (start + text).encode()
        assert outcome(Slow(data)) == outcome(io.BytesIO(data))

    @given(st.data())
    @settings(max_examples=200)
    def test_no_tree_raises_or_loses_a_message(self, data: st.DataObject) -> None:
        keys = ["a", "b", "c", "d", "e"]
        links = st.none() | st.sampled_from([*keys, "gone"]) | st.integers()
        mapping = {key: node(key, "root", "user") for key in keys}
        for each in mapping.values():
            each.update(parent=data.draw(links), children=data.draw(st.none() | st.lists(links)))
        found = read([{"title": "x", "mapping": mapping, "current_node": data.draw(links)}])
        assert sorted(item.content for item in found if isinstance(item, Incoming)) == keys

    @given(st.integers(0, 2_000), st.binary(max_size=3))
    def test_any_cut_or_flip_of_an_export_is_survived(self, at: int, junk: bytes) -> None:
        data = json.dumps([TEA, TEA]).encode()
        for damaged in (data[:at], data[:at] + junk + data[at + len(junk) :]):
            with suppress(FileUnusable):
                read(damaged)
