// Found before the C library's own <assert.h>. Says to the pass whether assert() is compiled out from here on: the last
// mark of a source file counts, since <assert.h> may be included again with another NDEBUG. A mark is a comment for the
// assembler (src/shared/abi/units.h), so that it is nothing where the pass does not take it out, and passes through -E.
#pragma GCC system_header
#include_next <assert.h>
#ifndef __ASSEMBLER__
#ifdef NDEBUG
__asm__("/* heddle NDEBUG */");
#else
__asm__("/* heddle no NDEBUG */");
#endif
#endif
