#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace heddle::slice {

// Grows without moving what is there: a long execution has hundreds of megabytes of it.
template <typename T>
class Pieces {
 public:
  void push_back(const T& value) {
    if (at_ == end_) [[unlikely]] add_piece();
    *at_++ = value;
  }
  const T& operator[](std::size_t index) const { return pieces_[index / kPiece][index % kPiece]; }
  std::size_t size() const { return pieces_.size() * kPiece - static_cast<std::size_t>(end_ - at_); }
  // The longest stretch that ends before `end`, begins at `begin` or later, and lies in one piece. REQUIRES: begin < end.
  std::span<const T> last_stretch(std::size_t begin, std::size_t end) const {
    const std::size_t piece = (end - 1) / kPiece, first = piece * kPiece;
    const std::size_t from = begin > first ? begin : first;
    return {pieces_[piece].get() + (from - first), end - from};
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 18;

  void add_piece() {
    pieces_.push_back(std::make_unique_for_overwrite<T[]>(kPiece));
    at_ = pieces_.back().get();
    end_ = at_ + kPiece;
  }

  std::vector<std::unique_ptr<T[]>> pieces_;
  T* at_ = nullptr;
  T* end_ = nullptr;
};

}  // namespace heddle::slice
