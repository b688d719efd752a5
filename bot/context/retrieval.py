"""What a turn brings to mind: what stands whatever is asked, and what comes up for what is asked."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.config.settings import Settings
from memory.bank.block import Block
from memory.tiers.selfstate import SelfState
from memory.types import Digest, DigestHit, DomainKind, Exchange, Hit, Session, Statement
from memory.view.view import View

_MORE = 4


class Asking(Protocol):
    """A turn, as far as it must be known here: where it is, and what was said."""

    @property
    def view(self) -> View: ...

    @property
    def session(self) -> Session: ...

    @property
    def asked(self) -> Sequence[Exchange]: ...


@dataclass(frozen=True, slots=True)
class Standing:
    """What is there whatever is asked, of home alone: what is known, how she is, this conversation's digests and its end.

    `shared` says that home has more than one reader: then it may have a bank, and the bank stands in the place of eras.
    """

    profile: Sequence[Statement]
    narrative: Sequence[Statement]
    bank: Block
    being: SelfState
    summary: Sequence[Digest]
    recent: Sequence[Exchange]
    shared: bool


@dataclass(frozen=True, slots=True)
class Recalled:
    """What comes up for a question, of every domain that may be read: gists, paragraphs of eras (where home is shared, bullets
    of its bank that are not in view), and messages."""

    gists: Sequence[DigestHit] = ()
    eras: Sequence[Statement] = ()
    hits: Sequence[Hit] = ()


async def standing(turn: Asking, settings: Settings) -> Standing:
    """Return what stands in view at a turn. The summary is of what was said before the recent messages."""
    view = turn.view
    window = await view.messages.window(turn.session, 2 * settings.recent_turns)
    beginning = min((exchange.said_at for exchange in window), default=turn.asked[0].said_at)
    asked = {exchange.key for exchange in turn.asked}
    shared = view.home.ref.kind is not DomainKind.DM
    return Standing(
        profile=await view.digests.statements("profile"),
        narrative=await view.digests.statements("narrative"),
        bank=await view.bank.shown(settings.memory_bank_max_tokens) if shared else Block(),
        being=await view.self_state.now(),
        summary=[digest for digest in await view.digests.frontier(turn.session) if digest.first_at < beginning],
        recent=[exchange for exchange in window if exchange.key not in asked],
        shared=shared,
    )


async def recalled(turn: Asking, settings: Settings, in_view: Collection[int], since: int) -> Recalled:
    """Return what comes up for what is asked, leaving out the items in view, and this conversation's gists from `since` on."""
    text = "\n".join(exchange.text for exchange in turn.asked)
    return Recalled(
        await _gists(turn, text, settings.gists_k, in_view, since),
        await _eras(turn.view, text, settings.eras_k, in_view),
        await turn.view.recall.messages(text, settings.recall_k, exclude=in_view, asker=turn.asked[-1].speaker)
        if settings.recall_k
        else (),
    )


async def _gists(turn: Asking, text: str, k: int, in_view: Collection[int], since: int) -> list[DigestHit]:
    """Return the k gists nearest to a text, of other conversations and of this one; what was made of gists repeats them."""
    found = await turn.view.recall.gists(text, 3 * k + _MORE, exclude=in_view) if k else []
    here = turn.session.key
    gists = [hit for hit in found if hit.digest.tier == "gist"]
    return [hit for hit in gists if hit.digest.session != here or hit.digest.last_at < since][:k]


async def _eras(view: View, text: str, k: int, in_view: Collection[int]) -> Sequence[Statement]:
    if not k:
        return ()
    if view.home.ref.kind is DomainKind.DM:
        return await view.recall.eras(text, k)
    bullets = await view.recall.banked(text, k + len(in_view))
    return [one for one in bullets if one.key not in in_view][:k]
