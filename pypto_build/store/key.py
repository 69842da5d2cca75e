# SPDX-License-Identifier: Apache-2.0
"""The key of a result: the named things that decide it, and the SHA-256 of their encoding.

Everything that can change the result is a component, everything else is left out. A record keeps the components beside
the digest, so that a miss can be explained by the first component that differs.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import InitVar, dataclass, field

from pypto_build.errors import InternalError
from pypto_build.store.encoding import Components, components_to_json, encode, freeze_components

_HEADER = b"pypto-build key 1\n"


@dataclass(frozen=True, slots=True)
class KeyPrefix:
    """Components that many keys begin with, encoded once: those of a pass, which are the same for every function."""

    components: Components
    content: bytes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        frozen, content = freeze_components(self.components)
        object.__setattr__(self, "components", frozen)
        object.__setattr__(self, "content", content)


_EMPTY = KeyPrefix(())


@dataclass(frozen=True, slots=True)
class Key:
    """A kind (such as `pass` or `object`) and its components; two keys are equal when their digests are.

    The components of `prefix` come first. All are frozen on the way in: a later change to a list or dict that was
    passed does not reach the key.
    """

    kind: str
    components: Components = field(compare=False)
    prefix: InitVar[KeyPrefix] = field(default=_EMPTY, kw_only=True)
    digest: str = field(init=False)

    def __post_init__(self, prefix: KeyPrefix) -> None:
        own, content = freeze_components(self.components)
        frozen = prefix.components + own
        if len(dict(frozen)) != len(frozen):
            raise InternalError(f"a {self.kind} key names a component twice: {[name for name, _ in frozen]}")
        object.__setattr__(self, "components", frozen)
        digest = hashlib.sha256(_HEADER + encode(self.kind) + prefix.content + content).hexdigest()
        object.__setattr__(self, "digest", digest)

    def components_json(self) -> str:
        """The components as one line of JSON, the form that records keep."""
        return components_to_json(self.components)


_DIGEST = re.compile("[0-9a-f]{64}")


def is_digest(text: str) -> bool:
    """Whether `text` is a SHA-256 in lower-case hexadecimal, and so a safe file name."""
    return _DIGEST.fullmatch(text) is not None
