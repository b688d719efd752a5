"""The Discord check of `lyra doctor`: whether the bot can log in, may read what it should, and may speak in its servers.

Uses REST alone, so that a running Lyra keeps her gateway connection.
"""

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import aiohttp
import discord
from discord.http import Route

from adapters.discord.connection import AccountAccess, pointed_at
from adapters.listener import Notes
from bot.cli.checkups import Finding
from bot.config.environment import Environment
from bot.config.sections import DiscordSection
from bot.errors import BadSecret
from localization.sentences import _, lazy

NEEDED = {
    "view_channel": "View Channels",
    "send_messages": "Send Messages",
    "send_messages_in_threads": "Send Messages in Threads",
    "read_message_history": "Read Message History",
}
"""The required permissions: discord.py's name and the name on Discord's own pages."""

_MOST_SERVERS = 20
_PORTAL = lazy("Developer Portal → your application → Bot")
_SPOKEN_TO = lazy("she reads DMs, mentions and commands only")


def invite_url(application_id: int) -> str:
    """Return the URL with which an admin adds the application to a server, with its commands and required permissions."""
    permissions = discord.Permissions(**dict.fromkeys(NEEDED, True))
    return discord.utils.oauth_url(application_id, permissions=permissions, scopes=("bot", "applications.commands"))


async def configured(section: DiscordSection, environment: Environment, _notes: Notes) -> list[Finding]:
    """Return findings about the configured bot, of which there are no notes to be read."""
    try:
        token = environment.secret(section.token_env, section.token_file, lazy("The token of [discord]"))
    except BadSecret as error:
        return [Finding(False, _("Discord: {error}", error=error))]
    return await checkup(section, token.get_secret_value() if token else "")


async def checkup(section: DiscordSection, token: str, seconds: float = 10.0) -> list[Finding]:
    """Return findings about the bot with this token, within a timeout. No sentence contains the token."""
    findings: list[Finding] = []
    with pointed_at(AccountAccess(token, section.api_url)):
        try:
            async with discord.Client(intents=discord.Intents(guilds=True)) as client, asyncio.timeout(seconds):
                await _login(client, token)
                findings.append(_content(client.application_flags, section))
                async for finding in _servers(client):
                    findings.append(finding)
        except (_Stranger, discord.LoginFailure, discord.HTTPException, aiohttp.ClientError, OSError) as trouble:
            findings.append(Finding(False, _describe_trouble(trouble, section)))
    return findings


class _Stranger(Exception):
    """The endpoint that answers is not Discord."""


async def _login(client: discord.Client, token: str) -> None:
    if not token.strip().isprintable():
        raise discord.LoginFailure("characters that no header can hold")
    try:
        await client.login(token)
    except (TypeError, KeyError, ValueError) as error:
        # discord.py takes any response for Discord's, and fails on what a captive portal or another server returns.
        raise _Stranger from error


def _describe_trouble(trouble: Exception, section: DiscordSection) -> str:
    host = urlsplit(Route.BASE).netloc.rpartition("@")[2]
    check = _("Check api_url in [discord].") if section.api_url else _("Check the connection of this machine.")
    match trouble:
        case discord.LoginFailure():
            name = section.token_env or section.token_file
            return _(
                "Discord does not accept the token in {name}. Make a new one: {portal} → Reset Token.", name=name, portal=_PORTAL
            )
        case discord.HTTPException(status=status) if status == 429 or status >= 500:
            return _("Discord: {host} cannot answer now (status {status}). Try again later.", host=host, status=status)
        case discord.HTTPException(status=status):
            return _(
                "Discord: {host} does not answer as Discord does (status {status}). {check}",
                host=host,
                status=status,
                check=check,
            )
        case _Stranger():
            return _("Discord: what answers at {host} is not Discord. {check}", host=host, check=check)
        case _:
            return _("Discord: {host} is out of reach. {check}", host=host, check=check)


def _content(flags: discord.ApplicationFlags, section: DiscordSection) -> Finding:
    if not section.message_content:
        return Finding(
            True, _("Discord: the token is accepted; {spoken_to}, as message_content = false says.", spoken_to=_SPOKEN_TO)
        )
    # Which of the two flags is set depends on the application's size alone.
    if flags.gateway_message_content or flags.gateway_message_content_limited:
        return Finding(True, _("Discord: the token is accepted, and Message Content Intent is on."))
    # She works without it; it is a fault only if `message_content = true` was set explicitly.
    is_configured = "message_content" in section.model_fields_set
    place = f"{_PORTAL} → Privileged Gateway Intents"
    return Finding(
        not is_configured,
        _("Discord: Message Content Intent is off: {spoken_to}. Switch it on: {place}.", spoken_to=_SPOKEN_TO, place=place),
    )


async def _servers(client: discord.Client) -> AsyncIterator[Finding]:
    """Check her servers, only the first ones if there are many."""
    servers = [server async for server in client.fetch_guilds(limit=_MOST_SERVERS + 1, with_counts=False)]
    if not servers and client.application_id:
        yield Finding(
            False, _("Discord: she is in no server yet. Invite her: {invite_url}", invite_url=invite_url(client.application_id))
        )
    well: list[str] = []
    for server in servers[:_MOST_SERVERS]:
        # A server's name must not send control characters to the terminal.
        name = "".join(character for character in server.name if character.isprintable())
        if missing := await _missing(client, server.id):
            yield Finding(
                False,
                _(
                    "Discord: in the server {name} she lacks {missing}. Give them to her role: Server Settings → Roles.",
                    name=name,
                    missing=", ".join(missing),
                ),
            )
        else:
            well.append(name)
    if well:
        yield Finding(True, _("Discord: she has every permission that she needs in {well}.", well=", ".join(well)))
    if len(servers) > _MOST_SERVERS:
        yield Finding(True, _("Discord: she is in more servers than the {most} that were looked at.", most=_MOST_SERVERS))


async def _missing(client: discord.Client, server: int) -> list[str]:
    """Return the permissions she lacks in a server; channel overwrites are not considered."""
    guild = await client.fetch_guild(server, with_counts=False)
    assert client.user is not None, "a client that logged in has an account"
    member = await guild.fetch_member(client.user.id)
    return [name for permission, name in NEEDED.items() if not getattr(member.guild_permissions, permission)]
