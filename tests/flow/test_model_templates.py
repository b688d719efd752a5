"""A model whose chat template takes roles in one order only, in a channel where several people talk at once."""

from itertools import pairwise

from tests.fakes import openai_behaviours as fake
from tests.kits import discord_town
from tests.kits.awake import model_server
from tests.kits.discord_town import Town

town = discord_town.town


async def test_several_people_are_answered_where_roles_have_to_alternate(town: Town) -> None:
    async with model_server() as model, town.lyra(model):
        model.template = "alternating"
        model.script(fake.Held("One."), fake.Held("Two."))
        questions = [await who.says(town.general, f"{town.server.mention} hello") for who in (town.ada, town.bob)]
        # The one stands in the prompt of the other before it is answered: refused, and asked in another order.
        await model.heard(3)
        model.go.set()
        for question in questions:
            await town.answer(question)
        said = await town.says(town.ada, town.general, "which tea?")
        assert (await town.answer(said)).content == "You said: ada: which tea?"
        assert any(one == other for request in model.requests for one, other in pairwise(roles(request)))
        [later] = [request for request in model.requests if request.last_user.endswith("which tea?")]
        assert all(one != other for one, other in pairwise(roles(later))), "it is found out once"


def roles(request: fake.Request) -> list[str]:
    return [message["role"] for message in request.messages]
