#include "report/exchange/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "report/run_json.h"

namespace heddle::report {
namespace {

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* kRoot = "SRCROOT";
constexpr std::size_t kStepsMax = 100;  // keeps the last steps, which are nearest to the failure

struct RuleText {
  const char* rule;
  const char* text;
};

constexpr std::array kRules{
    RuleText{"abort", "Under some schedule the program aborts."},
    RuleText{"assert", "Under some schedule an assertion of the program fails."},
    RuleText{"deadlock", "Under some schedule threads wait for each other in a cycle."},
    RuleText{"exit", "Under some schedule the program ends with an exit status other than 0."},
    RuleText{"livelock", "Under some schedule the program does not terminate."},
    RuleText{"lost_wakeup", "Under some schedule every thread waits, and no thread is left to wake one."},
    RuleText{"misuse", "Under some schedule the program misuses a synchronisation object."},
    RuleText{"predicate", "Under some schedule the --fails-if command or the driver reports a failure."},
    RuleText{"signal", "Under some schedule a signal terminates the program."},
    RuleText{"timeout", "Under some schedule the program exceeds the time limit."},
    RuleText{"use_after_free", "Under some schedule the program uses freed memory."},
};

std::string rule_text(const std::string& rule) {
  const auto known =
      std::find_if(kRules.begin(), kRules.end(), [&](const RuleText& text) { return rule == text.rule; });
  return known != kRules.end() ? known->text : rule;
}

std::string uri_path(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("-._~/+@").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

class Log {
 public:
  explicit Log(std::string source_root) : root_(std::move(source_root)) {
    if (!root_.ends_with('/')) root_ += '/';
  }

  Json result(const SarifFinding& finding, std::size_t rule_index) {
    Json json = {{"ruleId", finding.rule},
                 {"ruleIndex", rule_index},
                 {"level", "error"},
                 {"message", {{"text", finding.message}}}};
    json["locations"] = has_place(finding.place) ? Json::array({location(finding.place)}) : Json::array();
    if (!finding.related.empty()) {
      Json related = Json::array();
      for (const SarifPlace& place : finding.related) {
        Json entry = location(place);
        entry["id"] = related.size();
        related.push_back(std::move(entry));
      }
      json["relatedLocations"] = std::move(related);
    }
    if (!finding.stack.empty()) json["stacks"] = Json::array({stack(finding.stack)});
    if (!finding.steps.empty()) json["codeFlows"] = Json::array({code_flow(finding.steps)});
    json["partialFingerprints"] = {{"heddleSignature/v1", finding.signature}};
    if (!finding.properties.empty()) json["properties"] = finding.properties;
    return json;
  }

  Json bases() const { return {{kRoot, {{"uri", "file://" + uri_path(root_)}}}}; }

 private:
  static bool has_place(const SarifPlace& place) { return !place.file.empty() || !place.function.empty(); }

  Json location(const SarifPlace& place) const {
    Json json = Json::object();
    if (!place.file.empty()) {
      Json physical = {{"artifactLocation", artifact(place.file)}};
      if (place.line != 0) {
        physical["region"] = {{"startLine", place.line}};
        if (place.column != 0) physical["region"]["startColumn"] = place.column;
      }
      json["physicalLocation"] = std::move(physical);
    }
    if (!place.function.empty())
      json["logicalLocations"] = Json::array({{{"fullyQualifiedName", place.function}, {"kind", "function"}}});
    if (!place.text.empty()) json["message"] = {{"text", place.text}};
    return json;
  }

  Json artifact(const std::string& file) const {
    if (file.starts_with(root_))
      return {{"uri", uri_path(std::string_view(file).substr(root_.size()))}, {"uriBaseId", kRoot}};
    if (file.starts_with('/')) return {{"uri", "file://" + uri_path(file)}};
    return {{"uri", uri_path(file)}, {"uriBaseId", kRoot}};
  }

  Json stack(const std::vector<SarifPlace>& frames) const {
    Json json = {{"message", {{"text", "the failing thread"}}}, {"frames", Json::array()}};
    for (const SarifPlace& frame : frames) json["frames"].push_back({{"location", location(frame)}});
    return json;
  }

  // One thread flow for each thread; executionOrder is the interleaving.
  Json code_flow(const std::vector<SarifStep>& steps) const {
    Json flows = Json::array();
    const std::size_t begin = steps.size() - std::min(steps.size(), kStepsMax);
    for (std::size_t i = begin; i < steps.size(); ++i) {
      const std::string& thread = steps[i].thread;
      auto flow = std::find_if(flows.begin(), flows.end(), [&](const Json& known) { return known["id"] == thread; });
      if (flow == flows.end()) {
        flows.push_back({{"id", thread}, {"message", {{"text", "thread " + thread}}}, {"locations", Json::array()}});
        flow = flows.end() - 1;
      }
      (*flow)["locations"].push_back({{"location", location(steps[i].place)}, {"executionOrder", i + 1}});
    }
    return {{"message", {{"text", "the interleaving of the threads"}}}, {"threadFlows", std::move(flows)}};
  }

  std::string root_;
};

SarifPlace place_of(const binary::SourceFrame& frame) {
  return {frame.file, frame.line, frame.column, frame.function.empty() ? frame.linkage_name : frame.function, ""};
}

std::string waiting_text(const run::ThreadState& thread) {
  std::string text = "thread " + thread.thread;
  if (!thread.name.empty()) text += " (" + thread.name + ")";
  text += thread.waits_for.empty() ? " is runnable here" : " waits here: " + thread.waits_for;
  if (!thread.holder.empty()) text += ", held by thread " + thread.holder;
  return text;
}

}  // namespace

void add_run(SarifFinding& finding, const run::RunReport& report, std::span<const clip::ClipSwitch> preemptions) {
  for (const binary::SourceFrame& frame : report.stack) finding.stack.push_back(place_of(frame));
  for (const run::ThreadState& thread : report.threads_at_end) {
    const binary::SourceFrame* frame = run::first_own_frame(thread.stack);
    if (frame == nullptr || frame->file.empty()) continue;
    SarifPlace place = place_of(*frame);
    place.text = waiting_text(thread);
    finding.related.push_back(std::move(place));
  }
  for (const clip::ClipSwitch& entry : preemptions) {
    SarifStep step{entry.thread, {entry.file, entry.line, entry.column, binary::demangle(entry.function), ""}};
    step.place.text =
        "thread " + entry.thread + " is preempted before its " + entry.kind + " here, and thread " + entry.to + " runs";
    finding.steps.push_back(std::move(step));
  }
}

std::string sarif_log(std::span<const SarifFinding> findings, const std::string& tool_version,
                      const std::string& source_root) {
  Log log(source_root);
  std::vector<std::string> rules;
  Json results = Json::array();
  for (const SarifFinding& finding : findings) {
    const auto known = std::find(rules.begin(), rules.end(), finding.rule);
    const auto index = static_cast<std::size_t>(known - rules.begin());
    if (known == rules.end()) rules.push_back(finding.rule);
    results.push_back(log.result(finding, index));
  }
  Json descriptors = Json::array();
  for (const std::string& rule : rules) {
    descriptors.push_back({{"id", rule},
                           {"shortDescription", {{"text", rule_text(rule)}}},
                           {"defaultConfiguration", {{"level", "error"}}}});
  }
  Json run = {
      {"tool", {{"driver", {{"name", "heddle"}, {"version", tool_version}, {"rules", std::move(descriptors)}}}}},
      {"originalUriBaseIds", log.bases()},
      {"columnKind", "unicodeCodePoints"},
      {"results", std::move(results)}};
  const Json document = {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}};
  return dump(document) + "\n";
}

}  // namespace heddle::report
