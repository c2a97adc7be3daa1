#include "explore/systematic/decision_log.h"

#include <cstring>

namespace heddle::explore {
namespace {

constexpr std::size_t kDecisionWords = sizeof(format::DecisionRecord) / sizeof(std::uint64_t);
constexpr std::size_t kPendingWords = sizeof(format::PendingRecord) / sizeof(std::uint64_t);

}  // namespace

const Decision* DecisionReader::next() {
  if (words_.empty()) return nullptr;
  cut_ = words_.size() < kDecisionWords;
  if (cut_) return nullptr;
  std::memcpy(&decision_.record, words_.data(), sizeof decision_.record);
  const std::size_t count = decision_.record.count;
  cut_ = words_.size() < kDecisionWords + count * kPendingWords;
  if (cut_) return nullptr;
  decision_.pending.resize(count);
  std::memcpy(decision_.pending.data(), words_.data() + kDecisionWords, count * sizeof(format::PendingRecord));
  words_ = words_.subspan(kDecisionWords + count * kPendingWords);
  return &decision_;
}

}  // namespace heddle::explore
