#pragma once
// The data flow inside a function, as the pass emits it in builds with HEDDLE_HOOKS=branches: the def-use relation that
// a dynamic slice needs for values in registers. One row per function in the section below, in the COMDAT group of its
// function; 32-bit words, little endian:
//
//   magic, bytes of the row, offset of the function's row of blocks (abi/blocks.h) from this row, blocks, slots,
//   arguments
//   per block: number of successors, the successors, number of steps, the steps in the order of execution
//
// A *slot* is a value that one invocation of the function holds: an argument (slots 0 to arguments - 1), the result of
// an access or a call, a phi, or a local variable that is only read and written as a whole. A value that is computed
// from slots without memory is represented by these slots, its *sources*. A list of sources is their number and the
// slots. A step is
//
//   kind, 1 + the slot that it sets (0: none), then by kind:
//   access    flags, low and high half of the site's name, sources; for private memory, the number of the access in the
//             function instead of the name
//   define    sources                    the slot depends on these
//   assign    sources                    ... and on control: a store into a variable without an address
//   call      number of the call, arguments, sources of each
//   phi       number of incoming edges, for each: block and sources
//   branch    sources                    of the condition; only if the block has two or more successors
//   return    sources
#include <stdint.h>

#include "abi/hooks.h"

#define HEDDLE_SECTION_FLOW "heddle_flow"
#define HEDDLE_FLOW_MAGIC 0x31574c46u  // "FLW1"
#define HEDDLE_FLOW_HEAD_WORDS 6

enum HeddleFlowStep {
  HEDDLE_FLOW_ACCESS = 1,
  HEDDLE_FLOW_DEFINE = 2,
  HEDDLE_FLOW_ASSIGN = 3,
  HEDDLE_FLOW_CALL = 4,
  HEDDLE_FLOW_PHI = 5,
  HEDDLE_FLOW_BRANCH = 6,
  HEDDLE_FLOW_RETURN = 7,
};

enum HeddleFlowFlag {
  HEDDLE_FLOW_ACCUMULATES = 1,  // one of several accesses of an instruction: the slot keeps its previous sources
  HEDDLE_FLOW_PRIVATE = 2,      // an access to memory that no other thread can reach
};

#ifdef __cplusplus
extern "C" {
#endif

// Hooks for accesses to memory that no other thread can reach; these accesses have no sites. `access` holds
// HEDDLE_PRIVATE_WRITE for a write, and the number of the access in its function above that bit. The hook of a write is
// called after the access, so that reads by the same instruction are recorded first.
#define HEDDLE_PRIVATE_WRITE 1u
#define HEDDLE_PRIVATE_NUMBER_SHIFT 1
#define HEDDLE_PRIVATE_SIZE_SHIFT 32  // size in bytes, for hooks without a size argument

// They are recorded as Branch records (format/ring.h) whose size is one of the values below: site = number, object =
// address, value = bytes. The record of a reached block has size 0.
#define HEDDLE_PRIVATE_EVENT_READ 1
#define HEDDLE_PRIVATE_EVENT_WRITE 2

HEDDLE_HOOK void __heddle_private_access(void* address, uint64_t access);
HEDDLE_HOOK void __heddle_private_write(void* address, uint64_t access, uint64_t value);
HEDDLE_HOOK void __heddle_private_range(void* address, uint64_t access, uint64_t size);
HEDDLE_HOOK void __heddle_private_string(void* address, uint64_t access, const char* string);

#ifdef __cplusplus
}
#endif
