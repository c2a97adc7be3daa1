#pragma once
// What a run of a systematic search has logged: format::DecisionRecord.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "format/decision_log.h"

namespace heddle::explore {

struct Decision {
  format::DecisionRecord record;
  std::vector<format::PendingRecord> pending;
};

// Reads the decisions one after the other.
class DecisionReader {
 public:
  explicit DecisionReader(std::span<const std::uint64_t> words) : words_(words) {}

  // nullptr: there are no more. What is returned is valid until the next call.
  const Decision* next();
  // The log ended in the middle of a record.
  bool cut() const { return cut_; }

 private:
  std::span<const std::uint64_t> words_;
  Decision decision_;
  bool cut_ = false;
};

}  // namespace heddle::explore
