"""A verification step that somebody's app encrypted for her device alone, with the keys of the sending device."""

from dataclasses import dataclass, field

from nio.events import ToDeviceEvent

PREFIX = "m.key.verification."


@dataclass
class EncryptedStep(ToDeviceEvent):  # type: ignore[misc]
    """Such a step. Only the device with these keys could have encrypted it; whose they are is not proven."""

    sender_key: str = field(default="", repr=False)
    signing_key: str = field(default="", repr=False)
