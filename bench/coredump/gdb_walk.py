"""Run by gdb: walks the list of bench/coredump/large_state.cpp in a core, member by member, for a number of seconds
of processor time, and prints how many variables it has read. The same comparison in gdb needs one such walk for each of
the two cores."""
import time

import gdb  # of gdb itself

SECONDS = 20


def leaves(value):
    kind = value.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        for field in kind.fields():
            if not field.is_base_class:
                yield from leaves(value[field])
    else:
        yield str(value)


read, begin = 0, time.process_time()
node = gdb.parse_and_eval("nodes")
while int(node) != 0 and time.process_time() - begin < SECONDS:
    here = node.dereference()
    read += sum(1 for _ in leaves(here))
    node = here["next"]
print(f"read {read} in {time.process_time() - begin:.3f}")
