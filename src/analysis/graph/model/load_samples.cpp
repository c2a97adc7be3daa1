#include "graph/model/load_samples.h"

#include <linux/perf_event.h>

#include <charconv>
#include <cstring>
#include <map>
#include <string_view>

#include "graph/heuristics.h"
#include "support/files.h"

namespace heddle::graph {
namespace {

constexpr std::uint32_t kPrecise = 2;  // the address of the load itself, not of a later instruction

// "event=0xcd,umask=0x1,ldlat=3"
std::map<std::string, std::uint64_t, std::less<>> parse_terms(std::string_view text) {
  std::map<std::string, std::uint64_t, std::less<>> terms;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(",\n"), text.size());
    std::string_view term = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = term.find('=');
    if (equals == std::string_view::npos) continue;
    std::string_view digits = term.substr(equals + 1);
    const int base = digits.starts_with("0x") ? 16 : 10;
    if (base == 16) digits.remove_prefix(2);
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    terms[std::string(term.substr(0, equals))] = value;
  }
  return terms;
}

std::uint64_t config_of(const std::map<std::string, std::uint64_t, std::less<>>& terms) {
  const auto term = [&](std::string_view name) {
    const auto found = terms.find(name);
    return found == terms.end() ? 0 : found->second;
  };
  return term("event") | term("umask") << 8;
}

std::optional<std::uint32_t> read_type(const std::string& device) {
  const Result<std::string> text = read_file(device + "/type");
  std::uint32_t type = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), type).ec != std::errc()) return std::nullopt;
  return type;
}

}  // namespace

const std::uint64_t kLoadSampleType =
    PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;

Result<LoadEvent> find_load_event(const std::string& devices) {
  for (const char* name : {"/cpu", "/cpu_core"}) {
    const std::string device = devices + name;
    const std::optional<std::uint32_t> type = read_type(device);
    const Result<std::string> loads = read_file(device + "/events/mem-loads");
    if (!type || !loads) continue;
    LoadEvent event{*type, config_of(parse_terms(*loads)), kLatencyMin, kPrecise, kLoadPeriod, std::nullopt};
    if (const Result<std::string> leader = read_file(device + "/events/mem-loads-aux"); leader)
      event.leader_config = config_of(parse_terms(*leader));
    return event;
  }
  if (const std::optional<std::uint32_t> type = read_type(devices + "/ibs_op"); type)
    return LoadEvent{*type, 0, 0, 0, kOperationPeriod, std::nullopt};
  return Error{
      "this machine does not sample loads (neither cpu/events/mem-loads nor ibs_op is in " + devices +
      "; virtual machines hide them); use --native, which sees every access, or --model hw, a model of the caches"};
}

bool is_transfer(const LoadSample& sample) {
  perf_mem_data_src source{};
  source.val = sample.source;
  return (source.mem_op & PERF_MEM_OP_LOAD) != 0 && (source.mem_snoop & PERF_MEM_SNOOP_HITM) != 0;
}

std::uint64_t decode_samples(std::span<const std::byte> records, const std::function<void(const LoadSample&)>& visit) {
  std::uint64_t lost = 0;
  while (records.size() >= sizeof(perf_event_header)) {
    perf_event_header header;
    std::memcpy(&header, records.data(), sizeof header);
    if (header.size < sizeof header || header.size > records.size()) break;
    std::span<const std::byte> body = records.subspan(sizeof header, header.size - sizeof header);
    records = records.subspan(header.size);
    if (header.type == PERF_RECORD_SAMPLE && body.size() >= sizeof(LoadSample)) {
      LoadSample sample;
      std::memcpy(&sample, body.data(), sizeof sample);
      visit(sample);
    } else if (header.type == PERF_RECORD_LOST && body.size() >= 2 * sizeof(std::uint64_t)) {
      std::uint64_t count = 0;  // behind the id of the event
      std::memcpy(&count, body.data() + sizeof(std::uint64_t), sizeof count);
      lost += count;
    }
  }
  return lost;
}

}  // namespace heddle::graph
