#pragma once
// Reads an image through the debug information of its program: stacks with their local variables, and global variables.
// elfutils unwinds the stacks and parses DWARF. It reads memory and registers only through callbacks that check every
// address, because the image may be damaged.
#include <elfutils/libdwfl.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "binary/debug_info/unit_index.h"
#include "binary/image/core_image.h"
#include "support/result.h"

namespace heddle::binary {

struct MemoryLocation {
  enum class Kind : std::uint8_t { Unknown, Memory, Value } kind = Kind::Unknown;
  std::uint64_t word = 0;  // Memory: the address; Value: the value itself
};

struct LocalVariable {
  std::string name;
  std::string function;  // linkage name of the declaring function, also where that function is inlined
  std::uint32_t line = 0;
  Dwarf_Die type{};
  bool has_type = false;
  MemoryLocation place;
  MemoryLocation slot;  // its place in the frame, if any location of the variable names one
};

struct StackFrame {
  std::uint64_t pc = 0;
  bool exact = false;              // pc is the faulting instruction; false: a return address
  std::string module;              // path of the ELF file on this machine; empty: none
  std::uint64_t file_address = 0;  // of the executing instruction: for a return address, inside the call before it
  std::string symbol;              // linkage name; empty: unknown
  std::string source;              // file name of the compilation unit
  std::vector<LocalVariable> locals;
};

struct GlobalVariable {
  std::string name;  // qualified
  bool thread_local_storage = false;
  std::uint64_t address = 0;  // thread-local: offset into the thread's block
  Dwarf_Die type{};
};

class DebugView {
 public:
  // `program`: the program's file on this machine. REQUIRES: the image outlives the view.
  static Result<std::unique_ptr<DebugView>> open(const CoreImage& image, const std::string& program);
  ~DebugView();
  DebugView(const DebugView&) = delete;
  DebugView& operator=(const DebugView&) = delete;

  // Frames of one thread, innermost first. Only frames in the program's own file have locals.
  std::vector<StackFrame> unwind(std::size_t thread);
  // All global variables of the program's own file, including static members and static locals.
  std::vector<GlobalVariable> globals();
  // False: the debug information has lines only.
  bool has_types() const;
  // Address of the program's thread-local variable at `offset` in the thread's block.
  std::uint64_t thread_local_address(const ImageThread& thread, std::uint64_t offset) const;
  // Text of the thread-local __heddle_descent; empty: the program has no such variable.
  std::string descent_of(const ImageThread& thread) const;
  // Number of points that the thread has reached; empty: the program does not count points (abi/blocks.h).
  std::optional<std::uint64_t> points_of(const ImageThread& thread) const;

  const CoreImage& image() const { return image_; }
  const std::string& program() const { return program_; }
  Dwarf* program_dwarf() const;
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
  std::optional<std::uint64_t> descent_offset_, points_offset_;  // of thread-local variables
  UnitIndex units_;
};

}  // namespace heddle::binary
