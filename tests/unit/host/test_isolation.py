# SPDX-License-Identifier: Apache-2.0
"""Foreign code in a process of its own: what it returns arrives, and whatever it does the build goes on."""

from __future__ import annotations

import faulthandler
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from pypto_build.deep_stack import on_deep_stack
from pypto_build.errors import InternalError, Span, UserError
from pypto_build.host import Member, SimulationResult
from pypto_build.host.isolated import IsolatedSimulator, decode_members, encode_members
from pypto_build.host.isolation import Limit, run_isolated

OWNER = Limit("simulator `x` of plugin `p`", 0.2, Span("p.yaml", 3, 1))


def raising(error):
    def work():
        raise error

    return work


def has_ended(process):
    """Whether a process is gone, or is nothing but its entry in the table."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_until(holds):
    """Wait for something that other processes do."""
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_what_it_returns_arrives():
    assert run_isolated(lambda: b"x" * 300_000, Limit("it")) == b"x" * 300_000


def test_it_cannot_change_the_parent():
    seen: list[int] = []
    assert run_isolated(lambda: seen.append(1) or b"done", Limit("it")) == b"done"
    assert seen == []


def test_an_endless_loop_is_ended_and_named():
    started = time.monotonic()
    with pytest.raises(UserError, match=r"simulator `x` of plugin `p` did not end within 0\.2 s") as caught:
        run_isolated(lambda: time.sleep(60) or b"", OWNER)
    assert caught.value.span == OWNER.span
    assert time.monotonic() - started < 5


def test_a_crash_names_the_signal():
    with pytest.raises(InternalError, match="simulator `x` of plugin `p` was ended by SIGKILL"):
        run_isolated(lambda: os.kill(os.getpid(), signal.SIGKILL) or b"", OWNER)


def aborting():
    faulthandler.disable()  # which would tell of it at length
    os.abort()


def test_an_abort_in_native_code_names_the_signal():
    with pytest.raises(InternalError, match="simulator `x` of plugin `p` was ended by SIGABRT"):
        run_isolated(aborting, OWNER)


def test_what_it_prints_does_not_reach_stdout(capfd):
    assert run_isolated(lambda: os.write(1, b"chatter\n") and b"done", Limit("it")) == b"done"
    shown = capfd.readouterr()
    assert (shown.out, shown.err) == ("", "chatter\n")


def test_a_process_that_it_leaves_behind_is_ended_and_not_waited_for():
    started = time.monotonic()
    left = int(run_isolated(lambda: b"%d" % (os.fork() or time.sleep(60) or 0), Limit("it")))
    assert time.monotonic() - started < 5
    wait_until(lambda: has_ended(left))


def test_a_process_that_goes_silent_is_ended():
    with pytest.raises(UserError, match="did not end within"):
        run_isolated(lambda: os.closerange(3, 100) or time.sleep(60) or b"", OWNER)


def test_it_ends_itself_when_nobody_is_left_to_end_it():
    source = (
        "import os, time; from pypto_build.host import isolation; isolation._GRACE = 0.1\n"
        "def work():\n    print(os.getpid(), file=open('pid', 'w'), flush=True)\n    while True: pass\n"
        "isolation.run_isolated(work, isolation.Limit('it', 1.0))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", source])
    wait_until(lambda: Path("pid").exists() and Path("pid").read_text().strip() != "")
    parent.kill()
    parent.wait()
    wait_until(lambda: has_ended(int(Path("pid").read_text())))


def test_it_works_in_a_thread_as_well():
    assert on_deep_stack(lambda: run_isolated(lambda: b"done", OWNER)) == b"done"


def test_an_exit_in_the_middle_is_an_error():
    with pytest.raises(InternalError, match="ended without a result"):
        run_isolated(lambda: os._exit(0) or b"", OWNER)


def test_an_exception_arrives_with_its_traceback():
    with pytest.raises(InternalError, match="simulator `x` of plugin `p` failed: ValueError: no") as caught:
        run_isolated(raising(ValueError("no")), OWNER)
    assert "raise error" in caught.value.__notes__[0]


def test_an_exit_of_the_interpreter_is_an_exception_like_any_other():
    with pytest.raises(InternalError, match="failed: SystemExit: 3"):
        run_isolated(lambda: sys.exit(3), OWNER)


def test_a_user_error_arrives_as_it_was():
    told = UserError("SIM001", "wrong", Span("k.py", 1, 2), help="mend it", notes=(("here", Span("k.py", 9, 9)),))
    with pytest.raises(UserError) as caught:
        run_isolated(raising(told), OWNER)
    assert vars(caught.value) == vars(told)


def test_members_survive_the_way():
    members = (Member("a.pto", b"\x00\xff", ((1, Span("k.py", 2, 3, 2, 9)),)), Member("b", b""))
    assert decode_members(encode_members(members)) == members


class Echo:
    name = "echo"
    version = 4

    def simulate(self, request):
        return SimulationResult(request, {"cycles": 7}, (Member("trace.json", b"{}"),))


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.bool_, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 4)])
def test_arrays_of_every_type_and_shape_survive_the_way(dtype, shape):
    array = np.ones(shape, dtype)[..., ::-1] if shape else np.array(1, dtype)
    result = IsolatedSimulator.of(Echo(), Limit("echo")).simulate({"out": array})
    assert result.outputs["out"].dtype == array.dtype
    np.testing.assert_array_equal(result.outputs["out"], array)
    assert (result.report, result.members) == ({"cycles": 7}, (Member("trace.json", b"{}"),))
