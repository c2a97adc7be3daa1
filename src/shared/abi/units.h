#pragma once
// The note that the pass adds for each source file: one NUL-terminated text in the section below. Its first letter is
// HEDDLE_UNIT_CHECKED or HEDDLE_UNIT_NDEBUG, the rest is the file's path as in the debug information. The host reads it
// from the program's file.
#define HEDDLE_SECTION_UNITS "heddle_units"
#define HEDDLE_UNIT_CHECKED 'c'  // no definition of NDEBUG was found
#define HEDDLE_UNIT_NDEBUG 'n'

// Marks that src/compiler/pass/prelude adds to the module's inline assembly, one per line. The pass uses the last one.
#define HEDDLE_MARK_NDEBUG "/* heddle NDEBUG */"
#define HEDDLE_MARK_NO_NDEBUG "/* heddle no NDEBUG */"
