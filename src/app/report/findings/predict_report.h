#pragma once
#include <string>

#include "report/run_json.h"
#include "validate/prediction.h"

namespace heddle::report {

// The document of `heddle predict`. `all`: includes predictions that were not confirmed.
Json predict_json(const validate::PredictionReport& report, bool all);
std::string predict_text(const validate::PredictionReport& report, bool all);

}  // namespace heddle::report
