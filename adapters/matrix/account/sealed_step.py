"""A step of a verification that somebody's app encrypted for her device alone, with what tells which device did."""

from dataclasses import dataclass, field

from nio.events import ToDeviceEvent

PREFIX = "m.key.verification."


@dataclass
class SealedStep(ToDeviceEvent):  # type: ignore[misc]
    """Such a step. Only the device whose keys are these could have encrypted it; whose they are is not said."""

    sender_key: str = field(default="", repr=False)
    signing_key: str = field(default="", repr=False)
