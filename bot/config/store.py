"""Where the memory is stored: a file of the home, or a PostgreSQL database."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, model_validator

from bot.config.section_base import Section
from localization.sentences import _

_SCHEMES = ("postgresql", "postgres")


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


def database_url(value: str, *, secret: bool) -> str:
    """Return a database URL.

    Raises ValueError, not showing the URL, if it is invalid, or has a password and is not `secret`.
    """
    try:
        parts = urlsplit(value)
        holds = parts.password is not None or "password=" in parts.query
        right = parts.scheme in _SCHEMES and bool(parts.path.strip("/"))
    except ValueError:
        holds = right = False
    if not right:
        raise ValueError(_('that is not a database; write it like "postgresql://lyra@127.0.0.1/lyra"'))
    if holds and not secret:
        raise ValueError(
            _(
                "a password does not belong there: name it with password_env, an environment variable, or with password_file, a file"
            )
        )
    return value
