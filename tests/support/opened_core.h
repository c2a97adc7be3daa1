#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "binary/debug_info/debug_view.h"
#include "binary/image/core_image.h"
#include "support/scratch_folder.h"
#include "tests/support/core_writer.h"

namespace heddle::test_support {

// A program in a temporary folder.
class WrittenProgram {
 public:
  explicit WrittenProgram(const Program& program)
      : folder_(std::move(*ScratchFolder::make())), path_(folder_.file("program")) {
    write_file(path_, program_bytes(program));
  }
  const std::string& path() const { return path_; }

 private:
  ScratchFolder folder_;
  std::string path_;
};

inline Result<binary::CoreImage> read_core(const std::vector<std::uint8_t>& bytes) {
  const Result<ScratchFolder> folder = ScratchFolder::make();
  write_file(folder->file("core"), bytes);
  return binary::read_core_file(folder->file("core"));
}

// A core, opened like the analyses open it. REQUIRES: core and program are valid.
struct OpenedCore {
  OpenedCore(const Core& core, const std::string& program)
      : image(std::make_unique<binary::CoreImage>(*read_core(core_bytes(core)))) {
    image->add_file_contents(program);
    view = std::move(*binary::DebugView::open(*image, program));
    if (!image->threads.empty()) stack = view->unwind(0);
  }

  std::unique_ptr<binary::CoreImage> image;  // the view refers to it
  std::unique_ptr<binary::DebugView> view;
  std::vector<binary::StackFrame> stack;  // of the first thread
};

}  // namespace heddle::test_support
