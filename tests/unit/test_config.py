"""The configuration: every key has a default that works, what is wrong is named, secrets are never shown."""

import math
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from pydantic import BaseModel, ValidationError

from bot.config.environment import Environment, read_environment
from bot.config.sections import Backend, DiscordSection, MatrixSection, PersonAccounts
from bot.config.server_urls import API, fault
from bot.config.settings import Settings, load
from bot.errors import BadConfig, BadSecret
from bot.setup.config_file import ConfigFile

ROOT = Path(__file__).parents[2]
SECRET = "sk-canary-0123456789"


DISCORD = '[discord]\ntoken_env = "DISCORD_TOKEN"\n'


def around(tmp_path: Path, text: str | None = None, **variables: str) -> Environment:
    """Return the surroundings of a home that holds this configuration file."""
    file = tmp_path / "lyra.toml"
    if text is not None:
        file.write_text(text, "utf-8")
    return Environment(tmp_path, tmp_path / "lyra.db", file, "ada", "http://127.0.0.1:11434/v1", variables)


def test_without_a_file_every_default_holds(tmp_path: Path) -> None:
    settings = load(around(tmp_path))
    assert settings == Settings()
    assert settings.summarize_after == 20


def test_a_link_to_a_file_that_is_not_there_is_no_missing_file(tmp_path: Path) -> None:
    (tmp_path / "lyra.toml").symlink_to(tmp_path / "unmounted" / "lyra.toml")
    with pytest.raises(BadConfig, match=r"lyra\.toml is a link to .*unmounted/lyra\.toml, and there is no such file\."):
        load(around(tmp_path))


def test_the_example_has_every_key_with_its_default() -> None:
    text = (ROOT / "deploy" / "lyra.example.toml").read_text("utf-8")
    assert Settings(**tomllib.loads(text)) == Settings()
    assert set(tomllib.loads(text)) == set(Settings.model_fields) - {"models", "people", "discord", "matrix"}
    uncommented = tomllib.loads(re.sub(r"(?m)^# (?=\[|\w+ = )", "", text))
    (model,) = uncommented["models"].values()
    (person,) = uncommented["people"].values()
    assert set(model) == set(Backend.model_fields)
    assert set(person) == set(PersonAccounts.model_fields)
    made = Backend(base_url=model["base_url"], model=model["model"])
    assert {key: model[key] for key in model} == made.model_dump()
    assert uncommented["discord"] == DiscordSection(token_env="DISCORD_TOKEN", bots=[]).model_dump()
    account = {key: uncommented["matrix"][key] for key in ("homeserver", "user_id", "password_env", "invites")}
    assert uncommented["matrix"] == MatrixSection(**account, bots=[]).model_dump()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('chatt = "main"', 'unknown key "chatt" (did you mean "chat"?)'),
        ("[web]\nprot = 1", 'unknown key "web.prot" (did you mean "port"?)'),
        ('night = "03:00"', 'unknown key "night" ("night" stands in [dream])'),
        ('[dream]\ntime_zone = "Europe/Vienna"', 'unknown key "dream.time_zone" ("time_zone" stands at the top of the file'),
        ("quux = 1", 'unknown key "quux".'),
        ("[limits.person]\nturn_per_day = 3", 'unknown key "limits.person.turn_per_day" (did you mean "turns_per_day"?)'),
        ('[people.ada]\ndiscrod = "3"', 'unknown key "people.ada.discrod" (did you mean "discord"?)'),
        ('[access]\nblock = ["role:1234"]', '"role:1234" does not name anybody; write an account like'),
        ('chat = "main"', 'chat names "main", but there is no [models.main]'),
        (
            'chat = ["offline", "main"]\n[models.main]\nbase_url = "http://x/v1"\nmodel = "m"',
            '"offline" can only stand last in chat',
        ),
        (
            'summary = ["main", "offline"]\n[models.main]\nbase_url = "http://x/v1"\nmodel = "m"',
            '"offline" can only stand alone in summary',
        ),
        ('embed = "main"', 'embed names "main", but there is no [models.main]'),
        ('embed = ["local", "off"]', '"local" can only stand alone in embed'),
        ('embed = ["main", "off"]\n[models.main]\nbase_url = "http://x/v1"\nmodel = "m"', '"off" can only stand alone in embed'),
        (
            'embed = "local"\n[models.local]\nbase_url = "http://x/v1"\nmodel = "m"',
            'embed = "local" means no backend; give [models.local] another name to embed with it',
        ),
        ('summary = "off"', 'summary names "off", but there is no [models.off]'),
        ('time_zone = "Mars/Olympus"', '"Mars/Olympus" is not a time zone'),
        ('[models.main]\nbase_url = "ftp://x"\nmodel = "m"', '"ftp://x" is not an address'),
        ('[models.main]\nbase_url = "http://x/v1"\nmodel = " "', '"models.main.model": is empty; write the model\'s name'),
        ('[discord]\ntokn_env = "T"', 'unknown key "discord.tokn_env" (did you mean "token_env"?)'),
        ("[discord]", "name the bot's token either with token_env, an environment variable, or with token_file, a file"),
        ('[discord]\ntoken_env = "T"\ntoken_file = "t"', "name the bot's token either with token_env"),
        (f'{DISCORD}api_url = "http://127.0.0.1/api/v10"', "api_url and gateway_url belong to one server; give both"),
        (f'{DISCORD}gateway_url = "ws://127.0.0.1"', "api_url and gateway_url belong to one server; give both"),
        (f'{DISCORD}api_url = "ws://127.0.0.1"\ngateway_url = "ws://127.0.0.1"', '"ws://127.0.0.1" is not an address'),
        (f'{DISCORD}api_url = "http://127.0.0.1"\ngateway_url = "http://"', '"http://" is not an address; write it like "wss://'),
        (f'{DISCORD}bots = ["lyra"]', '"lyra" is not an id; write digits like'),
        ("summarize_after = 0", '"summarize_after"'),
        ("[exit]\nlink = []", 'unknown key "exit.link" (did you mean "links"?)'),
        ('[exit]\nlinks = ["*"]', '"exit.links": "*" would let every link pass; name domains like "example.org"'),
        ('[exit]\nlinks = ["example"]', '"exit.links": "example" is neither a domain nor the beginning of an address'),
        ('[exit]\nlinks = ["ftp://example.org/"]', '"ftp://example.org/" is neither a domain nor'),
        ('[exit]\nlinks = ["https://example.org/a/../"]', '"https://example.org/a/../" is neither a domain nor'),
        (
            '[people.ada]\nconsole = "ada"\ndiscord = ["1", "2"]\n[people.bob]\ndiscord = "2"',
            'discord account "2" is listed under both [people.ada] and [people.bob], and an account is one person\'s',
        ),
        ('[people.ada]\nmatrix = "ada"', '"people.ada.matrix": "ada" is not a Matrix id; write it like "@ada:example.org"'),
        ('[people.ada]\ndiscord = "ada#1234"', '"people.ada.discord": "ada#1234" is not an id; write digits like'),
        ("[people.ada]\ndiscord = true", '"people.ada.discord'),
        ("[retention]\nmessages = true", '"retention.messages": a number'),
        ("[retention]\nmessages = inf", '"retention.messages": a finite number'),
        ("[retention]\nmessages = nan", '"retention.messages": a finite number'),
        ("[retention]\nmessages = 1e300", '"retention.messages": at most 36500'),
        ('[web]\nport = "80"', '"web.port": a whole number'),
        ("[web]\nport = true", '"web.port": a whole number'),
        ('[models.m]\nbase_url = "http://x:99999/v1"\nmodel = "m"', '"http://x:99999/v1" is not an address'),
        (
            '[matrix]\nhomeserver = "https://matrix.example.org/_matrix/client"\nuser_id = "@lyra:example.org"',
            '"matrix.homeserver": "https://matrix.example.org/_matrix/client" goes on behind the address of the server; '
            'write that alone: "https://matrix.example.org"',
        ),
        ('[discord]\ntoken_env = "MTIz.very.secret"', '"discord.token_env": the name of an environment variable'),
        ("chat = ", "is not TOML"),
        ('language = "en"\nlanguage = "de"\n', "has a key or a section for the second time in line 2"),
        ('language = "en"\nlanguage = "de"', "has a key or a section for the second time in line 2"),
        ("[web]\nport = 1\n\n[web]\n", "has a key or a section for the second time in line 4"),
    ],
)
def test_what_is_wrong_is_named_in_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(BadConfig) as caught:
        load(around(tmp_path, text))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "very.secret" not in str(caught.value)


NO_ADDRESSES = (
    "ftp://x", "http://", "http://127.0.0.1:99999/v1", "http://127.0.0.1:0/v1", "http://[::1", "http://[::1]x/v1", "http://☃ö..x/v1",
    "http://a..b/v1", "http://1.2.3.400/v1", "http://a b/v1", "http://\udcff", "http://x/\x00",
)  # fmt: skip


@pytest.mark.parametrize("value", NO_ADDRESSES)
def test_what_no_server_can_have_is_no_address(value: str) -> None:
    found = fault(value, *API)
    assert found is not None and "is not an address; write it like" in str(found)


@pytest.mark.parametrize(
    "value",
    ["http://localhost:11434/v1", "https://[::1]:8443/v1", "http://my_gpu.lan/v1", "https://bücher.example/v1", "http://x./v1"],
)
def test_what_a_server_can_have_is_an_address(value: str) -> None:
    assert fault(value, *API) is None
    assert httpx2.URL(value).host


def _numbers(section: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, field in section.model_fields.items():
        if isinstance(field.default, BaseModel):
            yield from _numbers(type(field.default), (*path, name))
        elif any(kind in str(field.annotation) for kind in ("int", "float")):
            yield (*path, name)


BACKEND = {"base_url": "http://x/v1", "model": "m"}


@pytest.mark.parametrize("odd", [True, "5", math.inf, -math.inf, math.nan, 1e300, 10**18, [True], [math.inf], [1e300]], ids=repr)
def test_a_number_is_no_text_no_truth_and_never_without_end(odd: object) -> None:
    of_backend = [("models", "main", *path) for path in _numbers(Backend)]
    for *sections, key in [*_numbers(Settings), *of_backend]:
        given: dict[str, object] = {key: odd}
        if sections[:1] == ["models"]:
            given |= BACKEND
        for section in reversed(sections):
            given = {section: given}
        with pytest.raises(ValidationError):
            Settings.model_validate(given)


def test_an_id_of_discord_may_stand_without_quotation_marks(tmp_path: Path) -> None:
    found = load(around(tmp_path, "[people.ada]\ndiscord = 123456789012345678\n[people.bob]\ndiscord = [4, '5']"))
    assert (found.people["ada"].discord, found.people["bob"].discord) == (["123456789012345678"], ["4", "5"])


def test_a_variable_changes_no_key_unseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUMMARIZE_AFTER", "7")
    assert load(around(tmp_path)).summarize_after == 20


@pytest.mark.parametrize("name", ["local", "off"])
def test_vectors_come_from_the_local_model_or_not_at_all_where_that_is_said(tmp_path: Path, name: str) -> None:
    assert load(around(tmp_path)).embed == []
    assert load(around(tmp_path, f'embed = "{name}"')).embed == [name]
    backend = f'chat = "{name}"\n[models.{name}]\nbase_url = "http://x/v1"\nmodel = "m"'
    assert load(around(tmp_path, backend)).chat == [name], "a backend for anything else may be called so"


def test_the_same_name_on_two_platforms_is_two_accounts(tmp_path: Path) -> None:
    settings = load(around(tmp_path, '[people.ada]\nconsole = ["ada", "ada"]\n[people.bob]\nmatrix = "@ada:x"'))
    assert set(settings.people) == {"ada", "bob"}


def test_one_account_or_several_make_a_person(tmp_path: Path) -> None:
    settings = load(around(tmp_path, '[people.ada]\nconsole = "ada"\ndiscord = ["1", "2"]'))
    assert settings.people["ada"] == PersonAccounts(console=["ada"], discord=["1", "2"], matrix=[])


def test_discord_is_off_until_it_is_configured_and_then_needs_no_more_than_a_token(tmp_path: Path) -> None:
    assert load(around(tmp_path, "")).discord is None
    discord = load(around(tmp_path, DISCORD)).discord
    assert discord == DiscordSection(token_env="DISCORD_TOKEN", message_content=True, streaming=True, bots=[])


def test_another_server_and_bots_that_she_listens_to(tmp_path: Path) -> None:
    urls = 'api_url = "https://chat.example.org/api/v10/"\ngateway_url = "wss://chat.example.org/gateway"\n'
    discord = load(around(tmp_path, f'[discord]\ntoken_file = "token"\n{urls}bots = ["123456789012345678"]')).discord
    assert discord is not None
    assert discord.api_url == "https://chat.example.org/api/v10"
    assert discord.gateway_url == "wss://chat.example.org/gateway"
    assert discord.bots == ["123456789012345678"]


def test_a_secret_comes_from_its_variable_or_its_file(tmp_path: Path) -> None:
    (tmp_path / "word").write_text(f"{SECRET}\n")
    where = around(tmp_path, A_KEY=SECRET)
    for found in (where.secret("A_KEY", "", "The key"), where.secret("", "word", "The key")):
        assert found is not None
        assert found.get_secret_value() == SECRET
    assert where.secret("", "", "The key") is None


def test_a_secret_is_never_shown(tmp_path: Path) -> None:
    where = around(tmp_path, A_KEY=SECRET)
    assert SECRET not in repr(where)
    assert SECRET not in repr(where.secret("A_KEY", "", "The key"))


def test_a_missing_secret_is_named_and_not_shown(tmp_path: Path) -> None:
    with pytest.raises(BadSecret, match="ABSENT, which is not set"):
        around(tmp_path).secret("ABSENT", "", "The key")
    with pytest.raises(BadSecret, match="cannot be read"):
        around(tmp_path).secret("", "nowhere", "The key")
    with pytest.raises(BadSecret, match="that the configuration names, which is not set") as caught:
        around(tmp_path).secret("gsk_very0secret", "", "The key")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("empty", ["", " \n"])
def test_an_empty_secret_file_is_refused_even_where_the_secret_is_needed_only_once(tmp_path: Path, empty: str) -> None:
    (tmp_path / "word").write_text(empty)
    where = around(tmp_path)
    with pytest.raises(BadSecret, match="in the file word, which is empty"):
        where.secret("", "word", "The key")
    with pytest.raises(BadSecret, match="in the file word, which is empty"):
        where.secret_if_there("", "word")
    assert (where.secret_if_there("", "nowhere"), where.secret_if_there("ABSENT", "")) == ("", "")


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434/v1"),
        ("127.0.0.1:99999", "http://127.0.0.1:11434/v1"),
        ("127.0.0.1:9", "http://127.0.0.1:9/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("http://127.0.0.1:9/", "http://127.0.0.1:9/v1"),
        ("[::1]", "http://[::1]:11434/v1"),
        ("https://ollama.example.org", "https://ollama.example.org/v1"),
    ],
)
def test_ollama_is_looked_for_where_its_own_variable_says(host: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)
    assert read_environment().ollama == address


@pytest.mark.parametrize("name", ["ada", "max.mustermann", "jörg müller", 'an "odd" one'])
def test_whatever_the_name_of_a_user_a_new_file_can_be_read(tmp_path: Path, name: str) -> None:
    file = ConfigFile(tmp_path / "lyra.toml")
    file.set("people", name, "console", to=[name])
    file.set("people", name, "discord", to=["123"])
    file.write()
    assert load(around(tmp_path)).people[name].discord == ["123"]
