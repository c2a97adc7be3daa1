#include "report/failure/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "explain/names/source_locations.h"
#include "report/failure/cause_text.h"
#include "report/failure/timeline_text.h"
#include "report/run_text.h"
#include "support/counted.h"

namespace heddle::report {
namespace {

using explain::CauseAccess;
using explain::Explanation;
using explain::short_place;
using explain::Step;
using explain::StepKind;

constexpr std::size_t kWidth = 100;
constexpr std::size_t kColumnMax = 34;
constexpr std::size_t kTextMin = 46;  // minimal width of the last column

constexpr const char* kPlain = "\x1b[0m";
constexpr const char* kStrong = "\x1b[1m";
constexpr const char* kFaint = "\x1b[2m";
constexpr const char* kRed = "\x1b[1;31m";
constexpr const char* kYellow = "\x1b[33m";

// Replaces control characters, which names in a program may contain.
std::string printable(const std::string& text) {
  std::string result;
  for (const char c : text) result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return result;
}

std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string cut(const std::string& text, std::size_t columns) {
  if (columns_of(text) <= columns) return text;
  std::string result;
  std::size_t used = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80 && ++used > columns - 3) break;
    result += c;
  }
  return result + "...";
}

std::string wrapped(const std::string& text, std::size_t width) {
  std::istringstream words(printable(text));
  std::string result, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > width) {
      result += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + cut(word, width);
  }
  return result + line + "\n";
}

std::string event_text(const Step& step) {
  std::string text = action_text(step);
  if (const std::string object = object_text(step); !object.empty()) text += " " + object;
  if (const std::string value = value_text(step); !value.empty())
    text += (is_assignment(step) ? " := " : " = ") + value;
  const std::string place = short_place(step.place);
  if (!place.empty()) text += "  " + place;
  return text;
}

class Columns {
 public:
  Columns(const Explanation& explanation, bool colours) : explanation_(explanation), colours_(colours) {
    const std::size_t count = std::max<std::size_t>(explanation.threads.size(), 1);
    shift_ = count == 1 ? 0 : std::min(kColumnMax, (kWidth - kTextMin) / (count - 1));
  }

  std::string text() {
    for (std::size_t i = 0; i < explanation_.threads.size(); ++i) {
      const explain::ThreadInfo& thread = explanation_.threads[i];
      std::string label = "thread " + thread.thread;
      if (!thread.name.empty()) label += " (" + thread.name + ")";
      line(i, label, kStrong);
    }
    for (const Step& step : explanation_.steps) add(step);
    return std::move(text_);
  }

 private:
  void add(const Step& step) {
    switch (step.kind) {
      case StepKind::Event:
        line(step.thread,
             (step.in_cause                   ? "* "
              : step.relevant.value_or(false) ? "+ "
                                              : "  ") +
                 event_text(step),
             step.in_cause                  ? kRed
             : step.relevant.value_or(true) ? ""
                                            : kFaint);
        break;
      case StepKind::Fold:
        line(step.thread, fmt::format("  ... {} more", step.left_out), kFaint);
        break;
      case StepKind::Switch:
        line(step.thread,
             fmt::format("-> switch to {} ({})", explanation_.threads[step.to].thread, switch_reason(step)),
             step.preemption ? kYellow : kFaint);
        break;
      case StepKind::Failure:
        line(step.thread,
             fmt::format("X {}  {}", run::outcome_word(explanation_.outcome.kind), short_place(step.place)), kRed);
        break;
    }
  }

  void line(std::size_t thread, const std::string& text, const char* colour) {
    const std::size_t indent = shift_ * thread;
    const std::string fitting = cut(printable(text), kWidth - indent);
    text_ += std::string(indent, ' ');
    const bool coloured = colours_ && *colour != '\0';
    text_ += (coloured ? colour : "") + fitting + (coloured ? kPlain : "") + "\n";
  }

  const Explanation& explanation_;
  bool colours_;
  std::size_t shift_ = 0;
  std::string text_;
};

// One access of an order; includes the variable if the line is wide enough.
std::string order_line(const Explanation& explanation, const std::vector<std::size_t>& order, std::size_t at,
                       std::size_t width) {
  if (at >= order.size()) return {};
  const CauseAccess& access = explanation.cause.accesses[order[at]];
  const std::string place = short_place(access.place);
  if (!access.variable.empty()) {
    const std::string whole =
        printable(fmt::format("{}: {} {}  {}", access.thread, access.access, access.variable, place));
    if (whole.size() <= width) return whole;
  }
  return cut(printable(fmt::format("{}: {} {}", access.thread, access.access, place)), width);
}

std::string orders_side_by_side(const Explanation& explanation) {
  const explain::Cause& cause = explanation.cause;
  if (cause.passing_order.empty()) return {};
  constexpr std::size_t kHalf = kWidth / 2 - 2;
  std::string text = fmt::format("  {:<{}}{}\n", "fails", kHalf, "passes");
  for (std::size_t i = 0; i < std::max(cause.failing_order.size(), cause.passing_order.size()); ++i) {
    text += fmt::format("  {:<{}}{}\n", order_line(explanation, cause.failing_order, i, kHalf - 2), kHalf,
                        order_line(explanation, cause.passing_order, i, kHalf - 2));
  }
  return text;
}

}  // namespace

std::string one_printable_line(const std::string& text) { return printable(text); }

std::string wrapped_text(const std::string& text) { return wrapped(text, kWidth); }

std::string explain_text(const Explanation& explanation, bool colours) {
  std::string text = wrapped(explanation.outcome.signature, kWidth);
  if (!explanation.outcome.message.empty()) text += wrapped(explanation.outcome.message, kWidth);
  text += "\n" + Columns(explanation, colours).text() + "\n";
  text += wrapped(
      fmt::format("cause: {}: {}", explain::cause_kind_word(explanation.cause.kind), cause_text(explanation)), kWidth);
  text += orders_side_by_side(explanation);
  text += fmt::format("{}, {:.2f} s; {}, {} needed\n", counted(explanation.trials, "execution"), explanation.seconds,
                      counted(explanation.preemptions_before, "preemption"), explanation.preemptions_after);
  if (explanation.slice)
    text += fmt::format("the failure depends on {} of {} (marked +)\n", explanation.slice->relevant,
                        counted(explanation.slice->events, "event"));
  for (const std::string& note : explanation_notes(explanation)) text += wrapped("note: " + note, kWidth);
  return text;
}

}  // namespace heddle::report
