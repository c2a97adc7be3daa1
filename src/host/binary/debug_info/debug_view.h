#pragma once
// An image seen through the debug information of its program: stacks with their local variables, global variables.
// elfutils unwinds and reads DWARF; it never sees the image itself, which may be damaged.
#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "binary/debug_info/unit_index.h"
#include "binary/image/core_image.h"
#include "support/result.h"

namespace heddle::binary {

// Where a variable's value is.
struct MemoryLocation {
  enum class Kind : std::uint8_t { Unknown, Memory, Value } kind = Kind::Unknown;
  std::uint64_t word = 0;  // address, or the value itself
};

struct LocalVariable {
  std::string name;
  std::string function;  // that it is written in; inlined ones keep their own
  std::uint32_t line = 0;
  Dwarf_Die type{};
  bool has_type = false;
  MemoryLocation place;
  MemoryLocation slot;  // where in the frame it lies while it is in scope, as far as any code of the function says so
};

struct StackFrame {
  std::uint64_t pc = 0;
  bool exact = false;              // a fault happened at this very instruction; else it is a return address
  std::string module;              // path of the ELF file here; empty: none
  std::uint64_t file_address = 0;  // of the instruction that was being executed
  std::string symbol;              // linkage name; empty: unknown
  std::string source;              // file name of the compilation unit
  std::vector<LocalVariable> locals;
};

struct GlobalVariable {
  std::string name;  // qualified
  bool thread_local_storage = false;
  std::uint64_t address = 0;  // or offset into the thread's block
  Dwarf_Die type{};
};

class DebugView {
 public:
  // `program`: the file on this machine that `image` is of. The image outlives this.
  static Result<std::unique_ptr<DebugView>> open(const CoreImage& image, const std::string& program);
  ~DebugView();
  DebugView(const DebugView&) = delete;
  DebugView& operator=(const DebugView&) = delete;

  // Innermost first. Locals are read only of frames in the program itself.
  std::vector<StackFrame> unwind(std::size_t thread);
  // Of the program itself, everywhere in its source.
  std::vector<GlobalVariable> globals();
  // False: its debug information tells of lines alone.
  bool has_types() const;
  // Address of a thread-local variable of the program; `offset` into its block.
  std::uint64_t thread_local_address(const ImageThread& thread, std::uint64_t offset) const;
  // Text of the thread-local __heddle_descent; empty: the program has none.
  std::string descent_of(const ImageThread& thread) const;
  // How many points the thread has come to; empty: the program does not count them (abi/blocks.h).
  std::optional<std::uint64_t> points_of(const ImageThread& thread) const;

  const CoreImage& image() const { return image_; }
  const std::string& program() const { return program_; }
  Dwarf* program_dwarf(Dwarf_Addr& bias) const;
  Dwfl* dwfl() const { return dwfl_; }

 private:
  DebugView(const CoreImage& image, std::string program) : image_(image), program_(std::move(program)) {}
  Status report_modules();
  StackFrame describe(Dwfl_Frame* frame);
  void read_locals(Dwfl_Frame* frame, Dwarf_Die* unit, StackFrame& into);

  const CoreImage& image_;
  std::string program_;
  Dwfl* dwfl_ = nullptr;
  Dwfl_Module* program_module_ = nullptr;
  std::uint64_t bias_ = 0;
  std::uint64_t thread_local_bytes_ = 0;
  std::uint64_t descent_offset_ = 0;
  bool has_descent_ = false;
  std::uint64_t points_offset_ = 0;
  bool has_points_ = false;
  UnitIndex units_;
};

}  // namespace heddle::binary
