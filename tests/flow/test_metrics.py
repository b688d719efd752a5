"""What Prometheus reads, and what is drawn and watched of it."""

import json
import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.fakes import openai_behaviours as b
from tests.fakes.openai_server import OpenAIServer
from tests.kits.awake import answer, model_server
from tests.kits.browsing import Site, site
from tests.kits.entered import entered_in_loop
from tests.kits.lyra_kit import REPO

model = entered_in_loop(lambda: model_server(answer))


async def read(served: Site) -> dict[str, float]:
    """Return every sample by its name and labels."""
    token = (served.app.base.environment.home / "web-token").read_text().strip()
    text = (await (await served.stranger()).get("/metrics", Authorization=f"Bearer {token}")).text
    return {
        " ".join([one.name, *(one.labels[label] for label in sorted(one.labels))]): one.value
        for family in text_string_to_metric_families(text)
        for one in family.samples
    }


async def test_a_turn_is_counted_with_its_stages_and_its_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: OpenAIServer
) -> None:
    async with site(tmp_path, monkeypatch, model=model) as served:
        ada = await served.visitor()
        before = await read(served)
        async with ada.watching() as tab:
            await ada.post("/talk", text="what shall I cook?")
            await tab.until("answer")
            await served.talk.mailboxes.drain(30)
        after = await read(served)
    for name in ("lyra_turns_total answered", "lyra_model_calls_total conversation"):
        assert after[name] == before.get(name, 0) + 1, name
    assert after["lyra_model_tokens_total conversation"] > before["lyra_model_tokens_total conversation"] + 50
    for stage in ("keep", "recall", "model", "answer", "store", "send"):
        name = f"lyra_stage_seconds_count {stage}"
        assert after[name] == before.get(name, 0) + 1, name
        assert after[f"lyra_stage_seconds_bucket +Inf {stage}"] == after[name]


async def test_a_message_that_waits_for_its_model_is_counted_as_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: OpenAIServer
) -> None:
    model.script(b.Status(401))
    async with site(tmp_path, monkeypatch, model=model) as served:
        ada = await served.visitor()
        before = await read(served)
        async with ada.watching() as tab:
            await ada.post("/talk", text="are you there?")
            await tab.until("notice")
            await served.talk.mailboxes.drain(30)
        after = await read(served)
    assert (before["lyra_inbox_waiting held"], after["lyra_inbox_waiting held"]) == (0, 1)
    assert after["lyra_turns_total held"] == before["lyra_turns_total held"] + 1
    assert after["lyra_errors_total ModelDenied"] == before.get("lyra_errors_total ModelDenied", 0) + 1


async def test_no_sample_holds_anybodys_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with site(tmp_path, monkeypatch) as served:
        await served.told("my secret is a blue pot", conversation="secrets")
        await served.app.dreams.dream((await served.view()).home, forced=True)
        told = " ".join(await read(served))
    assert not re.search("secret|pot|ada", told)


async def test_everything_that_is_drawn_or_watched_is_there_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: OpenAIServer
) -> None:
    async with site(tmp_path, monkeypatch, model=model) as served:
        ada = await served.visitor()
        async with ada.watching() as tab:
            await ada.post("/talk", text="hello")
            await tab.until("answer")
        there = {name.split(" ")[0] for name in await read(served)} | {"lyra_errors_total"}
    dashboard = json.loads((REPO / "deploy" / "grafana-dashboard.json").read_text("utf-8"))
    drawn = " ".join(target["expr"] for panel in dashboard["panels"] for target in panel["targets"])
    watched = " ".join(re.findall(r"expr: (.*)", (REPO / "deploy" / "prometheus-alerts.yml").read_text("utf-8")))
    for text in (drawn, watched):
        named = set(re.findall(r"\blyra_\w+", text))
        assert len(named) > 5
        assert named - there == set()
