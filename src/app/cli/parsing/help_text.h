#pragma once
#include <string>

#include "cli/verb.h"

namespace heddle::cli {

// The help of each verb, with what stands after -- in its usage; of the tool itself, the overview.
class HelpText : public CLI::Formatter {
 public:
  explicit HelpText(const Invocation& invocation);

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;

 private:
  const Invocation& invocation_;
};

}  // namespace heddle::cli
