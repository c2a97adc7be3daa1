"""Counts the schedules of a program of tests/explore/counted.c from the rules, without running it.

A worker is a list of operations, each after a scheduling point; the first is its start. Main joins one worker after
the other. The scheduler chooses at every point, and when the thread blocks; choosing another thread instead of one
that could continue is a preemption."""
import functools

MAIN = 0


def operations(kind, count):
    # What only one thread touches is not armed, and no point.
    body = {"separate": [], "common": ["update"], "locked": ["lock", "unlock"]}[kind] * count
    return ["begin", *body, "exit"]


def count_schedules(kind, count, preemptions_max):
    worker = operations(kind, count)
    lists = (["join 1", "join 2"], worker, worker)

    def runnable(state):
        positions, blocked, holder = state
        return [thread for thread in range(3) if positions[thread] < len(lists[thread]) and not blocked[thread]]

    def perform(state, thread):
        """The state after the next operation of `thread`, and whether the thread has reached its next point."""
        positions, blocked, holder = [list(part) if isinstance(part, tuple) else part for part in state]
        operation = lists[thread][positions[thread]]
        if operation.startswith("join"):
            target = int(operation[5:])
            if positions[target] < len(lists[target]):
                blocked[thread] = operation
                return (tuple(positions), tuple(blocked), holder), False
        if operation == "lock":
            if holder is not None:
                blocked[thread] = operation
                return (tuple(positions), tuple(blocked), holder), False
            holder = thread
            # The threads that compete for it block again.
            for other in range(3):
                if other != thread and waiting_for_lock(positions, other) and waits[0][other]:
                    blocked[other] = "lock"
        positions[thread] += 1
        if operation == "unlock":
            holder = None
            for other in range(3):
                if blocked[other] == "lock":
                    blocked[other] = ""
                    waits[0][other] = True
        if operation == "exit":
            for other in range(3):
                if blocked[other] == f"join {thread}":
                    blocked[other] = ""
        return (tuple(positions), tuple(blocked), holder), positions[thread] < len(lists[thread])

    # A thread that waited for the lock and was woken competes for it until it has it.
    waits = [[False, False, False]]

    def waiting_for_lock(positions, thread):
        return positions[thread] < len(lists[thread]) and lists[thread][positions[thread]] == "lock"

    @functools.lru_cache(maxsize=None)
    def schedules(state, competing, current, current_runnable, budget):
        """The continuations of a choice."""
        if state[0][MAIN] == len(lists[MAIN]):
            return 1
        total = 0
        for chosen in runnable(state):
            cost = 1 if current_runnable and chosen != current else 0
            if cost > budget:
                continue
            waits[0] = list(competing)
            after, at_point = perform(state, chosen)
            if lists[chosen][state[0][chosen]] == "lock" and after[2] == chosen:
                waits[0][chosen] = False
            total += schedules(after, tuple(waits[0]), chosen, at_point, budget - cost)
        return total

    start = ((0, 0, 0), ("", "", ""), None)
    return schedules(start, (False, False, False), MAIN, True, preemptions_max)
