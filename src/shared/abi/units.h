#pragma once
// What the pass notes of each source file: in the section below, one NUL-terminated text. Its first letter is one of
// these, the rest the file's path as in the debug information. The host reads it from the program's file.
#define HEDDLE_SECTION_UNITS "heddle_units"
#define HEDDLE_UNIT_CHECKED 'c'  // NDEBUG was not defined, as far as is known
#define HEDDLE_UNIT_NDEBUG 'n'

// Marks in the module's own assembly that src/compiler/pass/prelude leaves for the pass, a line each; the last one counts.
#define HEDDLE_MARK_NDEBUG "/* heddle NDEBUG */"
#define HEDDLE_MARK_NO_NDEBUG "/* heddle no NDEBUG */"
