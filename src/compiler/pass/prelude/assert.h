// This header is found before the C library's <assert.h>. It marks for the pass whether assert() is compiled out from
// here on. The pass uses the last mark of a source file, because <assert.h> may be included again with another NDEBUG.
// A mark is a comment for the assembler (src/shared/abi/units.h): it survives -E, and it has no effect if no pass
// removes it.
#pragma GCC system_header
#include_next <assert.h>
#ifndef __ASSEMBLER__
#ifdef NDEBUG
__asm__("/* heddle NDEBUG */");
#else
__asm__("/* heddle no NDEBUG */");
#endif
#endif
