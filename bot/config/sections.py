"""The sections of the configuration file."""

import re
from ipaddress import ip_address
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from bot.config.section_base import Section
from bot.config.server_urls import API, address, database_url, is_nearby, shown
from bot.delivery.links import AllowList
from localization.sentences import _

_MANY = 64
_MATRIX_ID = re.compile(r"@[^\s:]*:\S+")


def _named(value: str) -> str:
    if not value.strip():
        raise ValueError(_('is empty; write the model\'s name as its server calls it, like "llama3.2"'))
    return value


def _one_or_many(value: Any) -> Any:
    many = value if isinstance(value, list) else [value] if isinstance(value, str | int) else value
    # Discord ids are numbers, and are easily written without quotation marks.
    return [str(one) if type(one) is int else one for one in many] if isinstance(many, list) else many


def _discord_ids(value: list[str]) -> list[str]:
    for one in value:
        if not (one.isascii() and one.isdigit()):
            raise ValueError(_('"{one}" is not an id; write digits like "123456789012345678"', one=one))
    return value


def _matrix_id(value: str) -> str:
    if not _MATRIX_ID.fullmatch(value):
        raise ValueError(_('"{one}" is not a Matrix id; write it like "@ada:example.org"', one=value))
    return value


def _matrix_ids(value: Any) -> Any:
    if isinstance(value, list):
        for one in value:
            _matrix_id(one)
    return value


def _homeserver(value: str) -> str:
    server = address(value, ("http", "https"), "https://matrix.example.org")
    parts = urlsplit(server)
    # A server may be served below a path, but not below one of Matrix's own.
    if parts.path.startswith("/_matrix") or parts.query or parts.fragment:
        alone = f"{parts.scheme}://{parts.netloc}"
        raise ValueError(
            _('"{value}" goes on behind the address of the server; write that alone: "{alone}"', value=value, alone=alone)
        )
    return server


def _ip(value: str) -> str:
    try:
        return str(ip_address("127.0.0.1" if value == "localhost" else value))
    except ValueError:
        raise ValueError(_('"{value}" is not an IP address; write it like "127.0.0.1"', value=value)) from None


def _url(schemes: tuple[str, ...], example: str) -> AfterValidator:
    """Return the check of a URL that may be left out."""
    return AfterValidator(lambda value: value and address(value, schemes, example))


def _links(value: list[str]) -> list[str]:
    AllowList(value)
    return value


Names = Annotated[list[str], Field(default_factory=list)]
DiscordIds = Annotated[Names, AfterValidator(_discord_ids)]
MatrixIds = Annotated[Names, AfterValidator(_matrix_ids)]
Days = Annotated[float, Field(ge=0, le=36_500)]


class Backend(Section):
    """A model behind an OpenAI-compatible endpoint.

    It takes images if it `sees`. `tools` says whether it may look things up while answering. `context` is the most tokens of a
    prompt with its answer, 0 to detect it; `parallel` the most concurrent answers, 0 for one on a nearby endpoint and no limit
    elsewhere. Prices are per million tokens, in your own currency.
    """

    base_url: Annotated[str, AfterValidator(lambda value: address(value, *API))]
    model: Annotated[str, AfterValidator(_named)]
    api_key_env: str = ""
    api_key_file: str = ""
    timeout: float = Field(120, gt=0)
    max_tokens: int = Field(1024, gt=0)
    context: int = Field(0, ge=0)
    parallel: int = Field(0, ge=0)
    temperature: Annotated[float, Field(ge=0, le=2)] | Literal[""] = ""
    stop: list[str] = Field(default_factory=list, max_length=4)
    sees: bool = False
    tools: Literal["auto", "off"] = "auto"
    price_in: float = Field(0, ge=0)
    price_out: float = Field(0, ge=0)

    @property
    def sampling(self) -> dict[str, object]:
        """The sampling and stop parameters, as a request states them."""
        parameters = {"temperature": self.temperature, "stop": self.stop}
        return {key: value for key, value in parameters.items() if value not in ("", [])}

    @property
    def shown_url(self) -> str:
        """The base URL as it may be shown to anyone."""
        return shown(self.base_url)

    @property
    def places(self) -> int:
        """The most concurrent requests."""
        return self.parallel or (1 if is_nearby(self.base_url) else _MANY)


class PersonAccounts(Section):
    """The accounts of one person: a name, or a list of names, per platform."""

    console: Annotated[Names, BeforeValidator(_one_or_many)]
    discord: Annotated[DiscordIds, BeforeValidator(_one_or_many)]
    matrix: Annotated[MatrixIds, BeforeValidator(_one_or_many)]


class DiscordSection(Section):
    """The bot account on Discord; `api_url` and `gateway_url` name another server that speaks Discord's protocol.

    `shards` is the number of gateway connections if several processes hold one each (`lyra run --role platform`), "auto" for as
    many as Discord recommends.
    """

    token_env: str = ""
    token_file: str = ""
    api_url: Annotated[str, _url(("http", "https"), "https://discord.com/api/v10")] = ""
    gateway_url: Annotated[str, _url(("ws", "wss"), "wss://gateway.discord.gg")] = ""
    message_content: bool = True
    streaming: bool = True
    shards: Annotated[int, Field(ge=1, le=16_384)] | Literal["auto"] = 1
    bots: DiscordIds

    @model_validator(mode="after")
    def _one_token_and_one_server(self) -> "DiscordSection":
        if bool(self.token_env) == bool(self.token_file):
            raise ValueError(_("name the bot's token either with token_env, an environment variable, or with token_file, a file"))
        if bool(self.api_url) != bool(self.gateway_url):
            raise ValueError(_("api_url and gateway_url belong to one server; give both, or neither for Discord itself"))
        return self


class MatrixSection(Section):
    """Her account on a Matrix homeserver.

    The password is used once; afterwards she keeps her own token. Without password and token, `lyra matrix login` signs her in.

    `invites` are the accounts whose invitations she accepts, "anyone" or "off"; unset, those of the configured people.
    """

    homeserver: Annotated[str, AfterValidator(_homeserver)]
    user_id: Annotated[str, AfterValidator(_matrix_id)]
    password_env: str = ""
    password_file: str = ""
    token_env: str = ""
    token_file: str = ""
    device_name: str = "Lyra"
    invites: Annotated[list[str] | Literal["anyone", "off"] | None, AfterValidator(_matrix_ids)] = None
    prefix: str = Field("!", min_length=1, max_length=8)
    streaming: bool = False
    bots: MatrixIds

    @model_validator(mode="after")
    def _each_secret_once(self) -> "MatrixSection":
        if (self.password_env and self.password_file) or (self.token_env and self.token_file):
            raise ValueError(_("name each secret once: as an environment variable or as a file"))
        return self


class StoreSection(Section):
    """The PostgreSQL database that holds the memory; without one, a file of the home does.

    `url` is written like "postgresql://lyra@127.0.0.1/lyra"; a password has a variable or a file of its own, or is part of the
    URL that `url_env` names.
    """

    url: Annotated[str, AfterValidator(lambda value: value and database_url(value, secret=False))] = ""
    url_env: str = ""
    password_env: str = ""
    password_file: str = ""

    @model_validator(mode="after")
    def _one_of_each(self) -> "StoreSection":
        if self.url and self.url_env:
            raise ValueError(_("name the database either with url or with url_env, an environment variable"))
        if self.password_env and self.password_file:
            raise ValueError(
                _("name the password either with password_env, an environment variable, or with password_file, a file")
            )
        if (self.password_env or self.password_file) and not (self.url or self.url_env):
            raise ValueError(_("name the database with url, or with url_env, an environment variable"))
        return self


class WebSection(Section):
    """The memory page and HTTP for scripts. Beyond this machine only encrypted: with a certificate, or behind named proxies.

    `address` is the URL that people use from there; `proxies` are the addresses of the proxies that terminate TLS.
    """

    port: int = Field(8765, ge=0, le=65535)
    token_file: str = ""
    host: Annotated[str, AfterValidator(_ip)] = "127.0.0.1"
    address: Annotated[str, _url(("https",), "https://lyra.example.org")] = ""
    certificate: str = ""
    certificate_key: str = ""
    proxies: Annotated[Names, AfterValidator(lambda value: [_ip(one) for one in value])]

    @model_validator(mode="after")
    def _encrypted_beyond_this_machine(self) -> "WebSection":
        if bool(self.certificate) != bool(self.certificate_key):
            raise ValueError(_("certificate and certificate_key belong together; name both files, or neither"))
        encrypted = bool(self.certificate or self.proxies)
        if not ip_address(self.host).is_loopback and not encrypted:
            raise ValueError(
                _(
                    'host = "{host}" lets other machines reach the page, so that what is said could be read on its way; set '
                    "certificate and certificate_key, or name the proxies in front of it that encrypt",
                    host=self.host,
                )
            )
        if encrypted and not self.address:
            raise ValueError(_('name the address that people type to reach it, like address = "https://lyra.example.org"'))
        return self


class ExitSection(Section):
    """The links that she may show although nobody in view gave them."""

    links: Annotated[Names, AfterValidator(_links)]

    @property
    def allowed(self) -> AllowList:
        """The links as an allow list."""
        return AllowList(self.links)


class PrivacySection(Section):
    """Who is responsible for the stored data, and how to reach them, as her privacy policy names them."""

    operator: str = ""
    contact: str = ""


class RetentionSection(Section):
    """The days that each tier is kept, from when it was stored or made; 0 for ever. A message takes along what rests on it."""

    messages: Days = 0
    gists: Days = 0
    facts: Days = 0
    months: Days = 0
    narrative: Days = 0
    thoughts: Days = 0
    notes: Days = 0


class DreamSection(Section):
    """When she dreams, the threshold of each drive, and the daily budget for one place's dreams."""

    night: str = Field("03:30", pattern=r"^(([01]\d|2[0-3]):[0-5]\d)?$")
    every_minutes: int = Field(240, ge=0)
    continuity: float = Field(0.5, gt=0, le=1)
    coherence: float = Field(0.5, gt=0, le=1)
    curiosity: float = Field(0.6, gt=0, le=1)
    stability: float = Field(0.5, ge=0, le=1)
    calls_per_day: int = Field(50, ge=0)
    tokens_per_day: int = Field(200_000, ge=0)
    reflections_per_day: int = Field(1, ge=0)
    quiet: str = Field("22:00-08:00", pattern=r"^((([01]\d|2[0-3]):[0-5]\d)-(([01]\d|2[0-3]):[0-5]\d))?$")
    settle_minutes: int = Field(30, ge=0)
