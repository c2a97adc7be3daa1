#pragma once
// What can be left out of an execution beside iterations of counted loops has a name in the same section (abi/hooks.h:
// HEDDLE_SECTION_LOOPS), which begins with one of these.
#define HEDDLE_CALL_PREFIX "call "  // HEDDLE_HOOKS=calls: a call whose result nobody uses
#define HEDDLE_EACH_PREFIX "each "  // an iteration of a loop that is no repetitive block: an iterator goes through it, or its variable may be changed elsewhere
