#pragma once
#include "coredump/core_report.h"
#include "coredump/search/rerun.h"

namespace heddle::coredump {

// Whether a run fails as the core says. Natively the use of freed memory goes unnoticed: the core shows what came of
// it.
class CoreMatch {
 public:
  // Both outlive this.
  CoreMatch(const ReadCore& core, Reruns& reruns) : core_(core), reruns_(reruns) {}

  Match of(const run::Outcome& outcome, const experiment::Schedule& schedule) const;

 private:
  const ReadCore& core_;
  Reruns& reruns_;
};

}  // namespace heddle::coredump
