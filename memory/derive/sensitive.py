"""What Lyra does not infer about people: health, faith, politics, origin, love, dealings with the law, and need.

What somebody says of themselves outright is kept as they said it; only what nobody said is measured here. A wrong alarm
costs an inference, nothing else.
"""

import re

_STEMS = """
    illness sick* disease* disorder* diagnos* symptom* cancer tumo* diabet* hiv depress* anxi* bipolar* autis* adhd ptsd therap*
    psychiat* medicat* addict* alcoholi* pregnan* abort* disab* dement* suicid* krank* schwanger* sucht* depressi* ill
    relig* christian* catholic* protestant* muslim* islam* jew jewish jews hindu* buddhis* atheis* church* mosque* synagog* pray*
    faith gläubig* kirche* moschee* politic* democrat* republican* conservativ* liberal* socialis* communis* fascis* vote* voting
    leftist* leftwing rightist* rightwing partei* politisch* ethnic* race racial* migrant* immigra* refugee* asylum nationalit*
    citizenship herkunft flüchtling* gay lesbian* bisexual* homosexual* transgender queer sexual* schwul* lesbisch* verliebt
    love lover lovers affair criminal* convict* arrest* prison* felon* undocumented vorbestraft gefängnis poor bankrupt*
    indebted verschuldet
""".split()
_SENSITIVE = re.compile(r"(?i)\b(?:" + "|".join(stem.replace("*", r"\w*") for stem in _STEMS) + r")\b")


def is_sensitive(text: str) -> bool:
    """Say whether a text touches what is not to be inferred."""
    return _SENSITIVE.search(text) is not None
