#pragma once
// The control flow of a function, as the pass emits it in builds for the analysis of core dumps. One row per function
// in the section below, in the COMDAT group of its function; 32-bit words, little endian:
//
//   magic, bytes of the row, blocks, calls, loops, bytes of the linkage name, bytes of the source file's name
//   per block:  number of successors, the successors, 1 + innermost loop (0: none), line of its last instruction
//   per call:   block, line
//   per loop:   header block, 1 + enclosing loop (0: none), line
//   the two names, padded with NUL to a multiple of four
//
// A *point* is a block (its number) or a call (number of blocks + its number). Loops are numbered in preorder.
#include <stdint.h>

#include "abi/hooks.h"

#define HEDDLE_SECTION_BLOCKS "heddle_blocks"
#define HEDDLE_BLOCKS_MAGIC 0x314b4c42u  // "BLK1"
#define HEDDLE_BLOCKS_HEAD_WORDS 7

// The debug variable that holds the number of completed iterations of the loop: this prefix and the loop's number.
// Further variables with the same value have the suffix "_1", "_2" ...: each may have a location where the others have
// none.
#define HEDDLE_LOOP_COUNTER "__heddle_loop_"

// The thread-local variable that counts the points a thread has reached, in production builds with
// HEDDLE_COUNT_POINTS=1. It stands in for a performance counter.
#define HEDDLE_POINT_COUNT "__heddle_points"

#ifdef __cplusplus
extern "C" {
#endif

// HEDDLE_HOOKS=branches: the thread has reached a point of the function with this row.
HEDDLE_HOOK void __heddle_block(const uint32_t* row, uint32_t point);

#ifdef __cplusplus
}
#endif
