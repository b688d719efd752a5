"""The configuration: one TOML file, read once and strictly. Secrets are stored elsewhere, and only named in it."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

import tzlocal
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator

from bot.config.environment import Environment
from bot.config.people_sections import AccessSection, LimitsSection
from bot.config.problems import not_toml, problem
from bot.config.section_base import Section
from bot.config.sections import (
    Backend,
    DiscordSection,
    DreamSection,
    ExitSection,
    MatrixSection,
    Names,
    PersonAccounts,
    PrivacySection,
    RetentionSection,
    StoreSection,
    WebSection,
)
from bot.errors import BadConfig
from localization.current_language import LANGUAGES, language_code
from localization.sentences import _

OFFLINE = "offline"
LOCAL, LARGE, OFF = "local", "local-large", "off"
"""The values of `embed` besides backends: the bundled models, the large one, or none."""


def _zone(value: str) -> str:
    if value and value not in available_timezones():
        raise ValueError(_('"{value}" is not a time zone; write it like "Europe/Vienna"', value=value))
    return value


def _spoken(value: str) -> str:
    if value and not language_code(value):
        raise ValueError(
            _('"{value}" is not a language that I speak; write one of {codes}', value=value, codes=", ".join(LANGUAGES))
        )
    return value


Chain = Annotated[Names, BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]


class Settings(Section):
    """Every key of the file, with its default. No environment variable overrides one."""

    chat: Chain = Field(default_factory=list)
    summary: Chain = Field(default_factory=list)
    embed: Chain = Field(default_factory=list)
    persona: str = ""
    time_zone: Annotated[str, AfterValidator(_zone)] = ""
    language: Annotated[str, AfterValidator(_spoken)] = ""
    key_file: str = ""
    key_env: str = ""
    log_level: str = Field("warning", pattern="^(debug|info|warning|error)$")
    context_tokens: int = Field(6000, ge=500)
    recall_k: int = Field(60, ge=0, le=100)
    recall_megabytes: int = Field(512, ge=1)
    gists_k: int = Field(3, ge=0, le=100)
    eras_k: int = Field(2, ge=0, le=100)
    recent_turns: int = Field(10, ge=1, le=200)
    summarize_after: int = Field(20, ge=2, le=500)
    episode_idle_minutes: int = Field(360, ge=1)
    episode_least: int = Field(4, ge=1)
    max_transcript_chars: int = Field(24_000, ge=1000)
    conversation_idle_minutes: int = Field(10, ge=1)
    max_turns_per_summary: int = Field(40, ge=1)
    memory_bank_max_tokens: int = Field(2000, ge=0)
    compression_headroom: float = Field(1.25, ge=1)
    summary_tries: int = Field(4, ge=1)
    summary_waits: list[Annotated[float, Field(ge=0)]] = Field(default_factory=lambda: [5.0, 10.0, 15.0])
    background_calls_per_day: int = Field(200, ge=0)
    background_tokens_per_day: int = Field(1_000_000, ge=0)
    workers: int = Field(8, ge=1, le=64)
    answer_within_minutes: int = Field(60, ge=1)
    store: StoreSection = StoreSection()
    web: WebSection = WebSection(proxies=[])
    exit: ExitSection = ExitSection(links=[])
    dream: DreamSection = DreamSection()
    retention: RetentionSection = RetentionSection()
    privacy: PrivacySection = PrivacySection()
    access: AccessSection = AccessSection()
    limits: LimitsSection = LimitsSection()
    discord: DiscordSection | None = None
    matrix: MatrixSection | None = None
    models: dict[str, Backend] = Field(default_factory=dict)
    people: dict[str, PersonAccounts] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _chains_name_models(self) -> "Settings":
        for key in ("chat", "summary", "embed"):
            for name in getattr(self, key):
                if key == "embed" and name in (LOCAL, LARGE, OFF):
                    self._stands_alone(name)
                elif name not in self.models and not (name == OFFLINE and key != "embed"):
                    raise ValueError(_('{key} names "{name}", but there is no [models.{name}]', key=key, name=name))
            if OFFLINE in getattr(self, key)[:-1]:
                raise ValueError(_('"{offline}" can only stand last in {key}', offline=OFFLINE, key=key))
        if OFFLINE in self.summary[1:]:
            raise ValueError(
                _(
                    '"{offline}" can only stand alone in summary: what a model refuses is written without one anyway',
                    offline=OFFLINE,
                )
            )
        return self

    @model_validator(mode="after")
    def _cheaper_is_a_model(self) -> "Settings":
        if self.limits.cheaper and self.limits.cheaper not in self.models:
            raise ValueError(_('cheaper in [limits] names "{name}", and there is no [models.{name}]', name=self.limits.cheaper))
        return self

    @model_validator(mode="after")
    def _accounts_are_of_one_person(self) -> "Settings":
        owners: dict[tuple[str, str], str] = {}
        for name, platform, account in self._listed():
            owner = owners.setdefault((platform, account), name)
            if owner != name:
                raise ValueError(
                    _(
                        'the {platform} account "{account}" is listed under both [people.{owner}] and [people.{name}], and an '
                        "account is one person's; take it out of one of the two",
                        platform=platform,
                        account=account,
                        owner=owner,
                        name=name,
                    )
                )
        return self

    @property
    def platforms(self) -> dict[str, DiscordSection | MatrixSection]:
        """The sections of the configured platforms, by platform."""
        return {name: one for name, one in (("discord", self.discord), ("matrix", self.matrix)) if one is not None}

    @property
    def accounts(self) -> frozenset[tuple[str, str]]:
        """The accounts of everybody in [people], as (platform, id)."""
        return frozenset((platform, account) for _, platform, account in self._listed())

    @property
    def owners(self) -> frozenset[tuple[str, str]]:
        """The accounts of those in [people] who also have a console identity, as (platform, id)."""
        owners = {name for name, someone in self.people.items() if someone.console}
        return frozenset((platform, account) for name, platform, account in self._listed() if name in owners)

    def _listed(self) -> Iterator[tuple[str, str, str]]:
        for name, someone in self.people.items():
            for platform in PersonAccounts.model_fields:
                yield from ((name, platform, account) for account in getattr(someone, platform))

    def _stands_alone(self, name: str) -> None:
        if self.embed != [name]:
            raise ValueError(_('"{name}" can only stand alone in embed', name=name))
        if name in self.models:
            raise ValueError(
                _('embed = "{name}" means no backend; give [models.{name}] another name to embed with it', name=name)
            )


def load(environment: Environment) -> Settings:
    """Read the configuration file; without one, all defaults apply. Raises BadConfig with one sentence."""
    path = environment.config_path
    if not path.exists():
        if environment.variables.get("LYRA_CONFIG"):
            raise BadConfig("LYRA_CONFIG names {path}, and there is no such file.", path=path)
        if path.is_symlink():
            raise BadConfig("{path} is a link to {file}, and there is no such file.", path=path, file=path.readlink())
        return Settings.model_validate({})
    if not path.is_file():
        raise BadConfig("{path} is not a file. Name a TOML file with LYRA_CONFIG.", path=path)
    return parse_settings(read_text(path), path)


def parse_settings(text: str, path: Path) -> Settings:
    """Parse and validate the text of a configuration file. Raises BadConfig with one sentence."""
    try:
        return Settings.model_validate(tomllib.loads(text))
    except ValidationError as error:
        problems = "; ".join(problem(found, Settings) for found in error.errors(include_input=False, include_url=False))
        raise BadConfig("In {path}: {problems}.", path=path, problems=problems) from error
    except tomllib.TOMLDecodeError as error:
        raise BadConfig(not_toml(path, text, error)) from error


def read_text(path: Path) -> str:
    """Return the text of a configuration file. Raises BadConfig, which names the line that is not UTF-8."""
    try:
        read = path.read_bytes()
    except OSError as error:
        raise BadConfig("{path} cannot be read: {strerror}.", path=path, strerror=error.strerror) from error
    try:
        return read.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = read.count(b"\n", 0, error.start) + 1
        raise BadConfig("{path} is not UTF-8 in line {at}; save it as UTF-8.", path=path, at=at) from error


def local_zone(settings: Settings) -> str:
    """Return the time zone in which times are shown: the configured one, or this machine's."""
    if settings.time_zone:
        return settings.time_zone
    name = tzlocal.get_localzone_name()
    return name if name and ZoneInfo(name) else "UTC"
