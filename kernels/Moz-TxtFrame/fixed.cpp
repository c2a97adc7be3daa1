// Moz-TxtFrame, repaired: offset and length of a frame change together under its lock.
//
// usage: fixed [words] [reflows] [paints]
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Range {
  std::size_t offset;
  std::size_t length;
};

class TextFrame {
 public:
  void set_content(const Range& range) {
    std::lock_guard guard(mutex_);
    range_ = range;
  }

  Range content() const {
    std::lock_guard guard(mutex_);
    return range_;
  }

 private:
  mutable std::mutex mutex_;
  Range range_{0, 0};
};

// Words of different lengths, each followed by a blank.
std::string content_of(std::size_t words) {
  std::string text;
  for (std::size_t i = 0; i < words; ++i) text += std::string(2 + i % 4, static_cast<char>('a' + i % 26)) + ' ';
  return text;
}

// The length of the line that begins at `offset`: whole words, at least one.
std::size_t line_length(const std::string& text, std::size_t offset, std::size_t width) {
  std::size_t length = 0;
  while (offset + length < text.size()) {
    const std::size_t word = text.find(' ', offset + length) + 1 - (offset + length);
    if (length > 0 && length + word > width) break;
    length += word;
  }
  return length;
}

class Paragraph {
 public:
  Paragraph(std::string text, std::size_t width_min) : text_(std::move(text)), frames_(text_.size() / width_min + 1) {
    reflow(width_min);
  }

  // Frames that are not needed at this width become empty frames at the end of the text.
  void reflow(std::size_t width) {
    std::size_t offset = 0;
    for (TextFrame& frame : frames_) {
      const std::size_t length = line_length(text_, offset, width);
      frame.set_content({offset, length});
      offset += length;
    }
  }

  std::size_t paint() const {
    std::size_t painted = 0;
    for (const TextFrame& frame : frames_) {
      const Range range = frame.content();
      assert(range.offset + range.length <= text_.size());
      assert(range.length == 0 || text_[range.offset + range.length - 1] == ' ');
      painted += range.length;
    }
    return painted;
  }

  std::size_t size() const { return text_.size(); }

 private:
  const std::string text_;
  std::vector<TextFrame> frames_;
};

constexpr std::size_t kWidthMin = 6;

// Makes the window wider and narrower.
void drag_window(Paragraph& paragraph, std::size_t reflows) {
  for (std::size_t i = 0; i < reflows; ++i) paragraph.reflow(i % 2 == 0 ? 2 * kWidthMin : kWidthMin);
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t words = argument(argc, argv, 1, 4);
  const std::size_t reflows = argument(argc, argv, 2, 2);
  const std::size_t paints = argument(argc, argv, 3, 1);

  Paragraph paragraph(content_of(words), kWidthMin);
  std::thread window(drag_window, std::ref(paragraph), reflows);
  for (std::size_t i = 0; i < paints; ++i) paragraph.paint();
  window.join();

  assert(paragraph.paint() == paragraph.size());
  std::printf("%zu characters shown\n", paragraph.size());
  return 0;
}
