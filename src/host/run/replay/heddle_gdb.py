"""gdb on a controlled execution; loaded by `heddle debug`.

The program runs on the thread engine, so each of its threads is a thread for gdb. It follows the schedule of the clip,
wherever it is stopped or stepped. The schedule is in the session, which gdb and the program inherit from heddle.
"""
import mmap
import os
import shlex
import signal
import struct
import time

import gdb
import gdb.FrameDecorator

FAILURE = "heddle_debug_failure"
SWITCH = "heddle_debug_switch"
CREATION = "heddle_debug_creation"
RUNTIME = "/libheddle_rt.so"
SYSTEM_MODULES = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/libexec/")
SYSTEM_HEADERS = ("/usr/include/", "/usr/lib/", "/usr/lib64/", "/usr/local/include/")
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
    if not gdb.selected_inferior().pid:
        raise gdb.GdbError("the program is not running; start it with: run")
    try:
        count = int(gdb.parse_and_eval("heddle_debug_thread_count"))
        rows = gdb.parse_and_eval("heddle_debug_threads")
    except gdb.error as error:
        raise gdb.GdbError("the program has not loaded its libraries yet; continue to main first: start") from error
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


def label_of_kernel_thread(threads, kernel_tid):
    for thread in threads.values():
        if thread.kernel_tid == kernel_tid:
            return label(threads, thread.id)
    return "?"


def is_of_runtime(frame):
    return RUNTIME in (gdb.solib_name(frame.pc()) or "")


def is_of_program(frame):
    module = gdb.solib_name(frame.pc()) or ""
    return RUNTIME not in module and not module.startswith(SYSTEM_MODULES) and frame.name() != "_start"


def is_line_of_program(place):
    file = place.symtab.filename if place.symtab is not None else ""
    return bool(file) and not file.startswith(SYSTEM_HEADERS) and "/include/c++/" not in file and place.line != 0


def older(frame):
    try:
        return frame.older()
    except gdb.error:  # the stack is overwritten
        return None


def user_frame():
    """The innermost frame at a line of the program and not in a system header, as in src/host/run/verdict/outcome.cpp.
    Without debug information: the innermost frame of the program. None: the stack has no such frame."""
    without_line = None
    frame = gdb.newest_frame()
    while frame is not None:
        if is_of_program(frame):
            if is_line_of_program(frame.find_sal()):
                return frame
            if without_line is None and frame.name() and frame.find_sal().symtab is None:
                without_line = frame
        frame = older(frame)
    return without_line


def show_user_frame():
    frame = user_frame()
    if frame is not None:
        frame.select()
        gdb.execute("frame")
    return frame is not None


class ShownFrame(gdb.FrameDecorator.FrameDecorator):
    """A frame with the name that gdb shows without filters."""

    def function(self):
        return self.inferior_frame().name() or "??"


class RuntimeFilter:
    """Removes from backtraces the frames of the runtime, of functions that it calls, and of the start of a thread."""

    def __init__(self):
        self.name = "heddle-runtime"
        self.priority = 100
        self.enabled = True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        between = []  # frames outside of the program since its last frame
        program_seen = False  # a frame of the program is further in
        for frame in frames:
            if not is_of_program(frame.inferior_frame()):
                between.append(frame)
                continue
            yield from self.shown(between, program_seen, True)
            yield ShownFrame(frame)
            between = []
            program_seen = True
        yield from self.shown(between, program_seen, False)

    @staticmethod
    def shown(frames, calls_program, is_called_by_program):
        """`frames` without the runtime; they are between frames of the program, or at an end of the stack."""
        runtime = [i for i, frame in enumerate(frames) if is_of_runtime(frame.inferior_frame())]
        if runtime:
            inner = frames[: runtime[0]] if calls_program else []
            outer = frames[runtime[-1] + 1 :] if is_called_by_program or not calls_program else []
            frames = inner + outer
        return [ShownFrame(frame) for frame in frames]


class FailureBreakpoint(gdb.Breakpoint):
    """Stops once in each run, although the runtime calls the function again when it ends the process."""

    def __init__(self):
        super().__init__(FAILURE, internal=True)
        self.silent = True
        self.stopped_process = 0

    def stop(self):
        before, self.stopped_process = self.stopped_process, gdb.selected_inferior().pid
        return before != self.stopped_process


class CreationBreakpoint(gdb.Breakpoint):
    """Does not stop, but records which line of the program creates a thread."""

    def __init__(self):
        super().__init__(CREATION, internal=True)

    def stop(self):
        frame = user_frame()
        created = int(gdb.parse_and_eval(argument_registers()[0])) & 0xFFFFFFFF
        creation_places[created] = place_text(frame) if frame is not None else None
        return False


def on_stop(event):
    if isinstance(event, gdb.BreakpointEvent) and any(isinstance(b, FailureBreakpoint) for b in event.breakpoints):
        name = label_of_kernel_thread(read_threads(), gdb.selected_thread().ptid[1])
        print(f"Right before the failure, in thread {name}:")
        if not show_user_frame():
            print("no frame of the program's own code is on the stack: it has ended, or has not begun")
    elif isinstance(event, gdb.SignalEvent) and user_frame() not in (None, gdb.newest_frame()):
        show_user_frame()


def stopped_in(function):
    frame = gdb.newest_frame() if gdb.selected_inferior().pid else None
    return frame is not None and frame.name() == function


def renew_session():
    """Asks heddle to reset the session, which serves one run, to the beginning of the schedule."""
    descriptor = os.environ.get("HEDDLE_SESSION")
    if descriptor is None:
        raise gdb.GdbError("gdb was started without a schedule; start it with: heddle debug CLIP")
    with mmap.mmap(int(descriptor), mmap.PAGESIZE, mmap.MAP_SHARED, mmap.PROT_READ) as session:
        os.kill(os.getppid(), signal.SIGUSR1)
        for _ in range(1000):
            if struct.unpack_from("<I", session, ATTACHED_OFFSET)[0] == 0:
                return
            time.sleep(0.005)
    raise gdb.GdbError("heddle does not answer; leave gdb and type again: heddle debug CLIP")


def place_text(frame):
    place = frame.find_sal()
    return f"{frame.name()} at {place.symtab.filename}:{place.line}" if place.symtab is not None else f"{frame.name()}"


def whereabouts(thread):
    """The position of `thread`, which is the selected thread, as text."""
    frame = user_frame()
    if frame is not None:
        return place_text(frame)
    created = creation_places.get(thread.id)
    return "before or after its own code" + (f", created by {created}" if created else "")


def leave_runtime():
    """After `thread N`: selects a frame of the program, because a waiting thread is stopped in the runtime."""
    thread = gdb.selected_thread()
    if thread is None or not thread.is_stopped() or gdb.selected_frame() != gdb.newest_frame():
        return
    if is_of_runtime(gdb.newest_frame()):
        show_user_frame()


def skip_sources(symbol):
    """Makes `step` skip the functions of the runtime."""
    sources = symbol.symtab.filename.rpartition("/target/")[0]
    for group in ("target", "shared"):
        for depth in range(1, 5):  # an asterisk matches one folder
            gdb.execute("skip -gfi " + shlex.quote(f"{sources}/{group}" + "/*" * depth), to_string=True)


def on_new_objfile(event):
    """Sets the breakpoints when the runtime is loaded and its symbols are known."""
    if RUNTIME not in event.new_objfile.filename:
        return
    gdb.events.new_objfile.disconnect(on_new_objfile)
    FailureBreakpoint()
    CreationBreakpoint()
    symbol = event.new_objfile.lookup_global_symbol(FAILURE)
    if symbol is not None:
        skip_sources(symbol)


class Heddle(gdb.Command):
    """Commands on a controlled execution: heddle next-switch, heddle threads, heddle user-frame."""

    def __init__(self):
        super().__init__("heddle", gdb.COMMAND_RUNNING, prefix=True)


class NextSwitch(gdb.Command):
    """Continue until the scheduler switches threads, or the program fails."""

    def __init__(self):
        super().__init__("heddle next-switch", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        breakpoint = gdb.Breakpoint(SWITCH, internal=True)
        breakpoint.silent = True
        try:
            gdb.execute("continue", from_tty)
            if not stopped_in(SWITCH):
                return
            source, target = (int(gdb.parse_and_eval(register)) & 0xFFFFFFFF for register in argument_registers())
        finally:
            breakpoint.delete()
        threads = read_threads()
        print(f"switch from thread {label(threads, source)} to thread {label(threads, target)}")
        show_user_frame()


class Threads(gdb.Command):
    """List the program's threads: name by descent, pthread_setname_np, gdb's number and the line of the program."""

    def __init__(self):
        super().__init__("heddle threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        threads = read_threads()
        known = {thread.ptid[1]: thread for thread in gdb.selected_inferior().threads()}
        selected, selected_frame = gdb.selected_thread(), gdb.selected_frame()
        for thread in threads.values():
            kernel_thread = known.get(thread.kernel_tid)
            if kernel_thread is None:
                continue
            kernel_thread.switch()
            mark = "*" if kernel_thread == selected else " "
            print(f"{mark} {label(threads, thread.id)}: gdb thread {kernel_thread.num}, {whereabouts(thread)}")
        selected.switch()
        selected_frame.select()


class UserFrame(gdb.Command):
    """Select the innermost frame of the program's own code."""

    def __init__(self):
        super().__init__("heddle user-frame", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if not show_user_frame():
            raise gdb.GdbError("no frame of this thread is in the program's own code")


class Renew(gdb.Command):
    """Restart the schedule; `run` does this automatically."""

    def __init__(self):
        super().__init__("heddle renew", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        renew_session()


def argument_registers():
    """The registers of the first arguments, because the debug information of the runtime may be missing."""
    if gdb.selected_inferior().architecture().name().startswith("aarch64"):
        return "$w0", "$w1"
    return "$edi", "$esi"


creation_places = {}  # by thread id
Heddle()
NextSwitch()
Threads()
UserFrame()
Renew()
RuntimeFilter()
for setting in (
    "set startup-with-shell on",
    # The tool executes the program: src/host/run/replay/debugged_start.h.
    'set exec-wrapper "$HEDDLE_DEBUG_TOOL" debugged-start',
    "set disable-randomization on",
    "set breakpoint pending on",
    "set print thread-events off",
    "handle SIGSYS nostop noprint pass",
):
    gdb.execute(setting, to_string=True)
gdb.events.stop.connect(on_stop)
gdb.events.new_objfile.connect(on_new_objfile)
for command in ("run", "start", "starti"):
    gdb.execute(f"define hook-{command}\nheddle renew\nend", to_string=True)
gdb.execute("define hookpost-thread\npython leave_runtime()\nend", to_string=True)
