#pragma once
// The section of loop names (abi/hooks.h: HEDDLE_SECTION_LOOPS) also names other code that an execution can skip. These
// names begin with one of the prefixes below.

// HEDDLE_HOOKS=calls: a call whose result is not used.
#define HEDDLE_CALL_PREFIX "call "
// An iteration of a loop that is not a repetitive block: it has an iterator, or its variable may be changed elsewhere.
#define HEDDLE_EACH_PREFIX "each "
