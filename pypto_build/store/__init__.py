# SPDX-License-Identifier: Apache-2.0
"""Results under keys: what to build again, what to reuse, and why."""

from pypto_build.store.body import body_ref
from pypto_build.store.chain import ChainEntry, ChainRecord, Status
from pypto_build.store.difference import ABSENT, Absent, Difference, first_difference
from pypto_build.store.encoding import Components, ComponentValue
from pypto_build.store.explain import FunctionExplanation, PassExplanation, explain_chain, headline
from pypto_build.store.fingerprint import Fingerprint, Fingerprinter
from pypto_build.store.interface import Mode, Put, Store, mode_named
from pypto_build.store.key import Key, KeyPrefix
from pypto_build.store.local import LocalStore
from pypto_build.store.location import store_location
from pypto_build.store.module_finder import package_roots
from pypto_build.store.policy import keep_body
from pypto_build.store.record import SAME_AS_INPUT, BodyRef, Output, Record, decode_record, encode_record, record_of
from pypto_build.store.verify_rate import DEFAULT_RATE, should_verify

__all__ = [
    "ABSENT",
    "DEFAULT_RATE",
    "SAME_AS_INPUT",
    "Absent",
    "BodyRef",
    "ChainEntry",
    "ChainRecord",
    "ComponentValue",
    "Components",
    "Difference",
    "Fingerprint",
    "Fingerprinter",
    "FunctionExplanation",
    "Key",
    "KeyPrefix",
    "LocalStore",
    "Mode",
    "Output",
    "PassExplanation",
    "Put",
    "Record",
    "Status",
    "Store",
    "body_ref",
    "decode_record",
    "encode_record",
    "explain_chain",
    "first_difference",
    "headline",
    "keep_body",
    "mode_named",
    "package_roots",
    "record_of",
    "should_verify",
    "store_location",
]
