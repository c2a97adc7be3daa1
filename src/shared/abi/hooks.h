#pragma once
// The contract between the pass and the runtime: the pass emits these rows and calls, the runtime defines the calls.
// This header includes nothing of Heddle. Changing a layout or a signature bumps HEDDLE_ABI_VERSION; the runtime
// refuses a module of another version by name.
#include <stdint.h>

#define HEDDLE_ABI_VERSION 2

// Names of the two ELF sections. The linker provides __start_/__stop_ symbols for them in every executable and library.
//
// Rows of one function are consecutive, and so are their armed bytes, in the same order. The byte after the last of
// them is the function byte: the function takes its path with hooks only while that byte is set. No row refers to it,
// so it is found from the rows alone, in one walk from the last row to the first: if the next row's byte is this row's
// byte + 1, both share a function byte; if not, this row's function byte is this row's byte + 1. To arm a site, set its
// byte and its function byte, before the function runs; the armed set does not change while the function is running.
#define HEDDLE_SECTION_SITES "heddle_sites"
#define HEDDLE_SECTION_ARMED "heddle_armed"

// With HEDDLE_HOOKS=iterations: the names of the loops whose iterations can be skipped, NUL-terminated, in sequence. A
// loop is identified by the FNV-1a hash of its name (base/hash.h).
#define HEDDLE_SECTION_LOOPS "heddle_loops"

// Suffix of the linkage name of a function's armed version.
#define HEDDLE_ARMED_SUFFIX ".heddle_armed"

// The operation of a site. `kind` of a row: the low four bits are HeddleSiteKind, the high four HeddleMemoryOrder.
enum HeddleSiteKind {
  HEDDLE_SITE_READ = 1,
  HEDDLE_SITE_WRITE = 2,
  HEDDLE_SITE_ATOMIC_READ = 3,
  HEDDLE_SITE_ATOMIC_WRITE = 4,
  HEDDLE_SITE_ATOMIC_UPDATE = 5,  // read-modify-write, compare-exchange
  HEDDLE_SITE_FENCE = 6,
  HEDDLE_SITE_RANGE_READ = 7,
  HEDDLE_SITE_RANGE_WRITE = 8,
};

enum HeddleMemoryOrder {
  HEDDLE_ORDER_NONE = 0,  // not atomic
  HEDDLE_ORDER_RELAXED = 1,
  HEDDLE_ORDER_ACQUIRE = 2,
  HEDDLE_ORDER_RELEASE = 3,
  HEDDLE_ORDER_ACQ_REL = 4,
  HEDDLE_ORDER_SEQ_CST = 5,
};

// One row of the site table. In the section HEDDLE_SECTION_SITES, in the COMDAT group of its function and !associated
// with it. The address of the row is the site's identity inside the process. Offsets are relative to the row's own
// address, so that no dynamic relocation is needed and the table can be read from the file.
struct HeddleSite {
  uint64_t name;       // hash of the site's whole name (see docs/design/002_armed_sites.md); never 0
  uint32_t index;      // 0 in the file; the runtime writes the SiteId here when it registers the module
  uint32_t wide_kind;  // `kind` again: together with the index it is the word that an access adds to the event hash
  uint16_t compact;    // compact-dictionary slot of this site, set by the runtime; 0: none, and 0 in the file
  uint16_t column;
  int32_t armed;     // -> this site's byte in HEDDLE_SECTION_ARMED
  int32_t file;      // -> NUL-terminated path as in the debug information
  int32_t function;  // -> NUL-terminated linkage name of the function that contains the line
  int32_t chain;     // -> NUL-terminated inline chain "file:line<file:line...", innermost caller first; 0: not inlined
  uint32_t line;     // 0: unknown
  uint32_t function_line;  // first line of `function`, so that a site keeps its name when code moves above it
  uint8_t kind;
  uint8_t size;  // bytes; 0: a range whose length is an argument of the hook; 255: 255 bytes or more
  uint16_t unused;
};

#ifdef __cplusplus
static_assert(sizeof(HeddleSite) == 48, "the pass writes this layout");
extern "C" {
#endif

// A hook is called before the access that it announces. Hooks are preserve_most and nonlazybind, so that the call
// clobbers few general registers. The pass declares access, write and range with a return value of three words, which
// it ignores: so these hooks may clobber rax, rcx, rdx and r11, and the caller saves them. A hook that is written in
// C++ returns nothing and preserves rax, rcx and rdx.
#if defined(__clang__)
#define HEDDLE_HOOK __attribute__((preserve_most, visibility("default")))
#else
#define HEDDLE_HOOK __attribute__((visibility("default")))
#endif

// A load, an atomic operation or a fence (address 0).
HEDDLE_HOOK void __heddle_access(void* address, struct HeddleSite* site);
// A store of at most 8 bytes; `value` is what will be written, zero-extended.
HEDDLE_HOOK void __heddle_write(void* address, struct HeddleSite* site, uint64_t value);
// `size` bytes are about to be read or written, as the site's kind says.
HEDDLE_HOOK void __heddle_range(void* address, struct HeddleSite* site, uint64_t size);
// strlen(string) + 1 bytes at `address` are about to be read or written (strcpy, strlen, strcmp, %s ...).
HEDDLE_HOOK void __heddle_string(void* address, struct HeddleSite* site, const char* string);

// An iteration of a marked loop begins; true: skip it. __heddle_iteration_end: an iteration that was not skipped has
// ended.
#ifdef __cplusplus
__attribute__((visibility("default"))) bool __heddle_iteration(uint64_t loop);
#endif
__attribute__((visibility("default"))) void __heddle_iteration_end(uint64_t loop);

// Called by a constructor of every instrumented executable and library, before its other constructors, with the
// bounds of the two sections; and at dlclose.
__attribute__((visibility("default"))) void __heddle_register_module(struct HeddleSite* sites_begin,
                                                                     struct HeddleSite* sites_end, uint8_t* armed_begin,
                                                                     uint8_t* armed_end, uint32_t abi_version);
__attribute__((visibility("default"))) void __heddle_unregister_module(struct HeddleSite* sites_begin);

#ifdef __cplusplus
}
#endif
