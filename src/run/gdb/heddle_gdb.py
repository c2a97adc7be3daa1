"""gdb on a controlled execution; loaded by `heddle debug`.

The program runs on the thread engine, where each of its threads is a thread that gdb knows, and follows the clip however
it is stopped and stepped. The schedule comes through the session that the program inherits from gdb, and gdb from heddle.
"""
import mmap
import os
import signal
import struct
import time

import gdb

FAILURE = "heddle_debug_failure"
SWITCH = "heddle_debug_switch"
RUNTIME = "libheddle_rt.so"
# struct Session begins with magic (8), version (4), attached (4).
ATTACHED_OFFSET = 12


class DebugThread:
    """One row of heddle_debug_threads."""

    def __init__(self, row):
        self.id = int(row["id"])
        self.parent = int(row["parent"])
        self.ordinal = int(row["ordinal"])
        self.kernel_tid = int(row["kernel_tid"])
        self.name = row["name"].string(errors="replace")


def read_threads():
    count = int(gdb.parse_and_eval("heddle_debug_thread_count"))
    rows = gdb.parse_and_eval("heddle_debug_threads")
    return {thread.id: thread for thread in (DebugThread(rows[i]) for i in range(count))}


def descent(threads, thread_id):
    ordinals = []
    while thread_id != 0 and thread_id in threads:
        ordinals.append(str(threads[thread_id].ordinal))
        thread_id = threads[thread_id].parent
    return ".".join(["0"] + ordinals[::-1])


def label(threads, thread_id):
    thread = threads.get(thread_id)
    name = descent(threads, thread_id)
    return f"{name} ({thread.name})" if thread and thread.name else name


def leave_runtime():
    """Selects the innermost frame that is the program's own."""
    frame = gdb.newest_frame()
    while frame is not None:
        module = gdb.solib_name(frame.pc()) or ""
        if not module.endswith(RUNTIME) and frame.find_sal().symtab is not None:
            frame.select()
            return
        frame = frame.older()


def stopped_in(function):
    frame = gdb.newest_frame() if gdb.selected_inferior().pid else None
    return frame is not None and frame.name() == function


def renew_session():
    """Asks heddle for the schedule from its beginning: a session serves one run."""
    descriptor = os.environ.get("HEDDLE_SESSION")
    if descriptor is None:
        raise gdb.GdbError("start gdb with `heddle debug CLIP`: without it there is no schedule to follow")
    with mmap.mmap(int(descriptor), mmap.PAGESIZE, mmap.MAP_SHARED, mmap.PROT_READ) as session:
        os.kill(os.getppid(), signal.SIGUSR1)
        for _ in range(1000):
            if struct.unpack_from("<I", session, ATTACHED_OFFSET)[0] == 0:
                return
            time.sleep(0.005)
    raise gdb.GdbError("heddle does not answer")


class Heddle(gdb.Command):
    """Commands on a controlled execution: heddle next-switch, heddle threads."""

    def __init__(self):
        super().__init__("heddle", gdb.COMMAND_RUNNING, prefix=True)


class NextSwitch(gdb.Command):
    """Go on until the turn passes from one thread to another, or the program fails."""

    def __init__(self):
        super().__init__("heddle next-switch", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        breakpoint = gdb.Breakpoint(SWITCH, internal=True)
        breakpoint.silent = True
        try:
            gdb.execute("continue", from_tty)
            if not stopped_in(SWITCH):
                return
            source, target = (int(gdb.parse_and_eval(register)) & 0xFFFFFFFF for register in switch_registers())
        finally:
            breakpoint.delete()
        threads = read_threads()
        print(f"the turn goes from thread {label(threads, source)} to thread {label(threads, target)}")
        leave_runtime()
        gdb.execute("frame")


class Threads(gdb.Command):
    """List the program's threads: name by descent, pthread_setname_np, gdb's number and where they are."""

    def __init__(self):
        super().__init__("heddle threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        threads = read_threads()
        known = {thread.ptid[1]: thread for thread in gdb.selected_inferior().threads()}
        selected = gdb.selected_thread()
        for thread in threads.values():
            kernel_thread = known.get(thread.kernel_tid)
            if kernel_thread is None:
                continue
            kernel_thread.switch()
            leave_runtime()
            frame = gdb.selected_frame()
            place = frame.find_sal()
            where = f"{place.symtab.filename}:{place.line}" if place.symtab else "?"
            mark = "*" if kernel_thread == selected else " "
            print(f"{mark} {label(threads, thread.id)}: gdb thread {kernel_thread.num}, {frame.name()} at {where}")
        if selected is not None:
            selected.switch()


class Renew(gdb.Command):
    """Begin the schedule anew; run does it by itself."""

    def __init__(self):
        super().__init__("heddle renew", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        renew_session()


def switch_registers():
    """The arguments of heddle_debug_switch where its debug information may be missing."""
    if gdb.selected_inferior().architecture().name().startswith("aarch64"):
        return "$w0", "$w1"
    return "$edi", "$esi"


Heddle()
NextSwitch()
Threads()
Renew()
for setting in (
    "set startup-with-shell on",
    # The tool turns itself into the program: src/run/debugged_start.h.
    'set exec-wrapper "$HEDDLE_DEBUG_TOOL" debugged-start',
    "set disable-randomization on",
    "set breakpoint pending on",
    "set print thread-events off",
    "handle SIGSYS nostop noprint pass",
):
    gdb.execute(setting, to_string=True)
gdb.execute(f"break {FAILURE}", to_string=True)
for command in ("run", "start", "starti"):
    gdb.execute(f"define hook-{command}\nheddle renew\nend", to_string=True)
