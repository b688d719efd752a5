"""The verdict on requests by Discord's own description, and what happens without it."""

from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.conftest import pytest_report_header
from tests.fakes.discord import DiscordServer, SpecMissing, spec
from tests.fakes.discord.rest import ROUTES
from tests.fakes.discord.schema import Judge


@pytest.fixture
def known() -> spec.Spec:
    found = spec.load()
    assert found
    return found


def judged(known: spec.Spec, name: str, body: Any, files: tuple[str, ...] = ()) -> tuple[list[str], list[str]]:
    operation = ROUTES[name].operation
    path = "/" + "/".join("1" if part.startswith("{") else part for part in operation.segments)
    found = known.judge(operation, path, {}, "application/json", body, list(files))
    return found.errors, found.unknown


def test_everything_the_server_can_do_is_in_the_description(known: spec.Spec) -> None:
    for route in ROUTES.values():
        path = "/" + "/".join(route.operation.segments)
        found = known.find(route.operation.method, path.replace("{", "").replace("}", ""))
        assert found and (found.name, found.segments) == (route.operation.name, route.operation.segments)


def test_ids_and_nonces_may_be_numbers_or_texts(known: spec.Spec) -> None:
    for number in (5, "5"):
        body = {"content": "x", "nonce": number, "message_reference": {"message_id": number}, "attachments": [{"id": number}]}
        assert judged(known, "create_message", body) == ([], [])
        assert judged(known, "create_dm", {"recipient_id": number}) == ([], [])


@pytest.mark.parametrize(
    ("name", "body", "wrong"),
    [
        ("create_dm", {"recipient_id": "ada"}, "body.recipient_id"),
        ("create_dm", {"recipient_id": "05"}, "does not match"),
        ("create_dm", {"recipient_id": True}, "body.recipient_id"),
        ("create_dm", None, "body: is missing"),
        ("create_message", {"content": 5}, "body.content"),
        ("create_message", {"message_reference": {}}, "'message_id' is missing"),
        ("create_message", {"attachments": [{"id": 1}] * 11}, "max 10"),
        ("create_message", {"allowed_mentions": {"parse": ["users", "users"]}}, "same item twice"),
        ("create_message", {"allowed_mentions": {"parse": ["friends"]}}, "parse[0]"),
        ("create_message", {"components": [{"type": 1, "components": []}]}, "min 1"),
        ("create_message", {"components": [{"type": 1, "components": [{"type": 2, "style": 9}]}]}, "style"),
        ("create_interaction_response", {"type": 5, "data": {"content": ["x"]}}, "content"),
        ("create_interaction_response", {"type": 2}, "body"),
        ("bulk_set_application_commands", [{"name": ""}], "min 1"),
        ("bulk_set_application_commands", [{"name": "a", "options": [{"type": 3, "name": "b"}]}], "'description' is missing"),
        ("create_thread_from_message", {"name": "x" * 101}, "max 100"),
        ("trigger_typing_indicator", {"x": 1}, "none is expected"),
    ],
)
def test_a_wrong_body_is_told_with_its_place(known: spec.Spec, name: str, body: Any, wrong: str) -> None:
    errors, _ = judged(known, name, body)
    assert any(wrong in one for one in errors), errors


def test_unknown_keys_are_told_apart(known: spec.Spec) -> None:
    body = {"content": "x", "colour": 1, "message_reference": {"message_id": 1, "mood": "good"}}
    assert judged(known, "create_message", body) == ([], ["body.colour", "body.message_reference.mood"])


def test_a_file_needs_its_name_in_the_form(known: spec.Spec) -> None:
    assert judged(known, "create_message", {}, ("files[0]",)) == ([], [])
    assert judged(known, "create_message", {}, ("file",))[0]


def test_a_keyword_that_is_not_read_is_refused() -> None:
    with pytest.raises(ValueError, match="dependentRequired"):
        Judge({}).judge({"dependentRequired": {}}, 1)


def test_every_schema_of_a_request_can_be_read(known: spec.Spec) -> None:
    for route in ROUTES.values():
        bodies: tuple[Any, ...] = ({}, [], "x", 1, None, {"type": 1, "data": {}})
        for body in bodies:
            judged(known, route.operation.name, body)


async def test_without_the_description_requests_are_served_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LYRA_DISCORD_SPEC", str(tmp_path / "none.json"))
    monkeypatch.delenv("CI", raising=False)
    assert "LYRA_DISCORD_SPEC" in "".join(pytest_report_header())
    server = DiscordServer()
    async with server, aiohttp.ClientSession(headers={"Authorization": f"Bot {server.token}"}) as session:
        general = server.world.channel(server.world.guild(), "general")
        async with session.post(f"{server.api_url}/channels/{general.id}/messages", json={"content": "hello"}) as answer:
            assert answer.status == 200
        async with session.get(f"{server.api_url}/nowhere") as answer:
            assert answer.status == 404
        assert len(server.violations) == 1 and [one.content for one in server.world.said] == ["hello"]


def test_under_ci_nothing_starts_without_the_description(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LYRA_DISCORD_SPEC", str(tmp_path / "none.json"))
    monkeypatch.setenv("CI", "true")
    with pytest.raises(SpecMissing, match="LYRA_DISCORD_SPEC"):
        DiscordServer()


def test_what_fits_is_judged_anew_where_two_of_its_ids_are_the_same() -> None:
    judge, ids = Judge({}), [f"11000000000000000{n}" for n in range(4)]
    rows = {"type": "array", "items": {"type": "array", "uniqueItems": True, "items": {"type": "string"}}}
    assert judge.judge(rows, [ids[:2]]).errors == judge.judge(rows, [ids[2:]]).errors == []
    assert judge.judge(rows, [[ids[3], ids[3]]]).errors != []
