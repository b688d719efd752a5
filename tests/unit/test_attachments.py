"""What came with a message, in words: what was read is quoted, and nothing else is said to have been."""

import pytest

from adapters.events import Message, Person, conversation
from adapters.message_parts import Attachment, Contents
from bot.conversation.attachments import MOST_CHARACTERS, images, text_with_attachments
from bot.models.port import Image

ADA = Person("discord", "1", "ada")
NOTE = Attachment("1", "list.txt", "text/plain", 7)
PHOTO = Attachment("2", "cat.png", "image/png", 2048, "a cat on a wall")


def message(text: str, *files: Attachment) -> Message:
    return Message("9", conversation("discord", "1", ""), ADA, text, 0, attachments=files)


def words(contents: Contents) -> str:
    """Return a message that says nothing but what came with it."""
    return text_with_attachments(message("", contents.attachment), [contents])


def test_a_text_stands_below_its_name_after_what_was_said() -> None:
    assert text_with_attachments(message("look ", NOTE), [Contents(NOTE, "buy tea")]) == "look\n[file list.txt]\nbuy tea"


@pytest.mark.parametrize(
    ("name", "type", "size", "said"),
    [
        ("voice-message.ogg", "audio/ogg", 900, "[audio voice-message.ogg, 900 bytes, not read]"),
        ("report.pdf", "application/pdf", 70_000, "[file report.pdf, 68 KB, not read]"),
        ("film.mp4", "video/mp4", 9 << 20, "[video film.mp4, 9 MB, not read]"),
        ("huge.png", "image/png", 6 << 20, "[image huge.png, 6 MB, not read]"),
        ("unnamed", "", 0, "[file unnamed, 0 bytes, not read]"),
        ("log.txt", "text/plain", 1023, "[file log.txt, 1023 bytes, not read]"),
        ("log.txt", "text/plain", 1024, "[file log.txt, 1 KB, not read]"),
        ("disk.img", "application/octet-stream", 3000 << 20, "[file disk.img, 3000 MB, not read]"),
    ],
)
def test_what_was_not_read_says_so(name: str, type: str, size: int, said: str) -> None:
    assert words(Contents(Attachment("1", name, type, size))) == said


def test_an_image_says_what_its_sender_says_of_it() -> None:
    seen = Contents(PHOTO, image=b"\x89PNG")
    assert words(seen) == "[image cat.png, 2 KB: a cat on a wall]"
    assert words(Contents(PHOTO)) == "[image cat.png, 2 KB, not read: a cat on a wall]"
    assert images([seen, Contents(PHOTO), Contents(NOTE, "buy tea")]) == [Image("image/png", b"\x89PNG")]


def test_a_caption_stands_before_a_text() -> None:
    note = Attachment("1", "list.txt", "text/plain", 7, "for the weekend")
    assert words(Contents(note, "buy tea")) == "[file list.txt: for the weekend]\nbuy tea"


def test_several_files_stand_in_their_order() -> None:
    contents = [Contents(PHOTO, image=b"\x89PNG"), Contents(NOTE, "buy tea")]
    assert text_with_attachments(message("both", PHOTO, NOTE), contents).splitlines() == [
        "both", "[image cat.png, 2 KB: a cat on a wall]", "[file list.txt]", "buy tea",
    ]  # fmt: skip


def test_a_long_text_ends_where_it_is_cut_and_says_so() -> None:
    whole, long = "x" * MOST_CHARACTERS, "x" * (MOST_CHARACTERS + 1)
    assert words(Contents(NOTE, whole)).endswith("x") and words(Contents(NOTE, long)) == f"[file list.txt]\n{whole} […]"


def test_a_message_without_anything_says_so() -> None:
    assert text_with_attachments(message("  "), []) == "[an empty message]"


def test_what_no_store_can_hold_is_not_kept_and_leaves_an_empty_message_where_there_is_nothing_else() -> None:
    assert text_with_attachments(message("a\0b\ud83d"), []) == "ab\ufffd"
    assert text_with_attachments(message("\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x07tea\x1b]8;;\x07"), []) == "red tea"
    assert text_with_attachments(message("\0 \x01"), []) == "[an empty message]"


@pytest.mark.parametrize("text", ["", " \n", "\u200b\u200b", "\u2800", "\ufe0f"])
def test_what_nobody_can_see_is_an_empty_message(text: str) -> None:
    assert text_with_attachments(message(text), []) == "[an empty message]"
