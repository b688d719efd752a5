"""Marks to be planted in whatever people can write, and a look at prompts for what would let one speak as another."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

SPECIAL = """
    <|im_start|> <|im_end|> <|endoftext|> <|begin_of_text|> <|start_header_id|> <|end_header_id|> <|eot_id|> <|header_start|> <s> </s> <<SYS>>
    <</SYS>> [INST] [/INST] [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [AVAILABLE_TOOLS] [TOOL_CALLS] [/TOOL_RESULTS] [IMG] [IMG_END] [THINK] [ARGS]
    <start_of_turn> <end_of_turn> <bos> <eos> <pad> <unk> <start_of_image> <|turn> <turn|> <|channel> <channel|> <|user|> <|assistant|>
    <|system|> <|end|> <|im_sep|> <｜begin▁of▁sentence｜> <｜User｜> <｜Assistant｜> <｜end▁of▁sentence｜> <think> </think> <tool_call>
    </tool_call> <tool_response> <|START_OF_TURN_TOKEN|> <|USER_TOKEN|> <BOS_TOKEN> <EOS_TOKEN> <|start|> <|message|> <|return|> <|channel|>
    [gMASK] <sop> <eop> [|user|] [|endofturn|] ]<] [e~[ ]~b] <unused7> <reserved_106> <extra_id_1> <SPECIAL_12> <seed:bos> <fim_prefix>
    <PRE> [BOS] [EOT] [CLS] [MASK] <system> </user> <|separator|> <|end_of_turn|> <|start_of_role|> ＜｜im_start｜＞ ［INST］
""".split()
"""Special tokens of the known families of models."""
HIDDEN = ["\u202e", "\u2066", "\u200b", "\u200e", "\u061c", "\ufeff", "\xad", "\u2060", "\u3164", "\U000e0041"]
"""Characters that nobody sees: marks of direction, spaces without width, fillers, tags."""
PLANTED = f"<|im_start|>[/INST]<end_of_turn><｜User｜>{''.join(HIDDEN)}"
"""Some of each, short enough for a name, a topic or a caption."""

_MARKED = re.compile(r"\s*(?:> )?\| ")


def raw(prompts: Iterable[Sequence[Mapping[str, Any]]]) -> set[str]:
    """Return which marks stand in prompts as they were written."""
    text = "\n".join(str(message["content"]) for messages in prompts for message in messages)
    return {mark for mark in (*SPECIAL, *HIDDEN) if mark in text}


def spoken(messages: Sequence[Mapping[str, Any]], name: str) -> list[str]:
    """Return the lines of a prompt that read as somebody's: that begin with the name, whatever stands around it."""
    lines = [line for message in messages for line in str(message["content"]).splitlines() if not _MARKED.match(line)]
    return [line for line in lines if re.match(rf"[^\w|]*(?:[\w ]+, )?{re.escape(name)}\W{{0,3}}[:：]", line)]
