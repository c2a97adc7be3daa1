#pragma once
// The effects of uninstrumented functions of libc and libstdc++ on the memory of their caller.
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>

namespace heddle::instrument {

// The number of bytes that a call accesses at an address.
enum class Extent : std::uint8_t {
  Bytes,         // the value of argument `a`
  Product,       // argument `a` times argument `b`
  Words,         // argument `a` times sizeof(wchar_t)
  Fixed,         // `a` bytes
  Found,         // up to the byte `a` that memchr finds in `b` bytes, or all `b` bytes
  String,        // the string in argument `a` with its NUL
  StringUpTo,    // the same, but at most the value of argument `b`
  PrefixAndNul,  // at most `b` bytes of the string in argument `a`, and a NUL after them
};

// The address of the first byte.
enum class Origin : std::uint8_t {
  Argument,     // `argument` + `offset`
  EndOfString,  // the NUL of the string in `argument`
  Behind,       // the pointer stored at `argument` + `pointer_offset`, plus `offset`
};

struct Effect {
  bool writes;
  Origin origin;
  std::uint8_t argument;
  Extent extent;
  std::uint8_t a;
  std::uint8_t b = 0;
  std::uint8_t offset = 0;
  std::uint8_t pointer_offset = 0;
};

// Empty for a function that is not in the table or does not have enough parameters.
llvm::ArrayRef<Effect> find_library_effects(llvm::StringRef function, unsigned argument_count);

struct PrintfCall {
  llvm::StringRef function;
  std::uint8_t format;   // index of the format argument
  bool has_destination;  // argument 0 is a buffer
  bool has_bound;        // argument 1 is the size of the buffer
  bool takes_va_list;    // the values to print are not arguments of the call
};

const PrintfCall* find_printf_call(llvm::StringRef function, unsigned argument_count);

}  // namespace heddle::instrument
