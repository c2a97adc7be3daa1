#include "report/graph_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include "report/html/explain_html.h"

namespace heddle::report {
namespace {

using graph::Neighbourhood;

constexpr std::size_t kSourceWidth = 48;
constexpr int kBoxWidth = 330, kBoxHeight = 52, kColumnGap = 150, kRowGap = 14, kMargin = 12;

// Reads source lines; empty if the file does not exist here.
class SourceLineCache {
 public:
  std::string find(const graph::CodeSite& site) {
    const auto [entry, is_new] = files_.try_emplace(site.file);
    if (is_new) {
      std::ifstream file(site.file);
      for (std::string line; std::getline(file, line);) entry->second.push_back(line);
    }
    if (site.line == 0 || site.line > entry->second.size()) return "";
    std::string text = entry->second[site.line - 1];
    text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
    if (text.size() > kSourceWidth) text = text.substr(0, kSourceWidth) + "...";
    return text;
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

std::string place_text(const graph::CodeSite& site) {
  if (site.name == 0) return "memory";
  return fmt::format("{}:{}", site.file.substr(site.file.rfind('/') + 1), site.line);
}

std::string quoted(const std::string& text) {
  std::string out;
  for (const char each : text) {
    if (each == '"' || each == '\\') out += '\\';
    out += each;
  }
  return out;
}

std::string context_line(graph::Context context) {
  const std::string text = context_text(context);
  return "(" + (text.empty() ? std::string("nothing before") : text) + ")";
}

struct Box {
  int x = 0, y = 0;
};

}  // namespace

std::string context_text(graph::Context context) {
  static constexpr const char* kWords[] = {"", "LcRd", "LcWr", "RmRd", "RmWr"};
  std::string text;
  for (; context != 0; context >>= graph_rules::kEventBits) {
    const unsigned event = context & ((1u << graph_rules::kEventBits) - 1);
    if (event < std::size(kWords)) text = kWords[event] + (text.empty() ? "" : " " + text);
  }
  return text;
}

std::string graph_dot(const Neighbourhood& neighbourhood) {
  SourceLineCache lines;
  std::string text =
      "digraph communication {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n";
  for (std::size_t i = 0; i < neighbourhood.members.size(); ++i) {
    const Neighbourhood::Member& member = neighbourhood.members[i];
    text += fmt::format("  n{} [label=\"{}\\n{}\\n{}\"{}];\n", i, quoted(place_text(member.site)),
                        quoted(lines.find(member.site)), context_line(member.context),
                        member.role == Neighbourhood::Role::Centre ? ", penwidth=2" : "");
  }
  for (const Neighbourhood::Link& link : neighbourhood.links)
    text += fmt::format("  n{} -> n{} [label=\"{}\"{}];\n", link.from, link.to, link.count,
                        link.is_new ? ", style=dashed" : "");
  return text + "}\n";
}

std::string graph_svg(const Neighbourhood& neighbourhood) {
  SourceLineCache lines;
  std::vector<Box> boxes;
  int rows[3] = {};
  for (const Neighbourhood::Member& member : neighbourhood.members) {
    const int column = static_cast<int>(member.role);
    boxes.push_back({kMargin + column * (kBoxWidth + kColumnGap), kMargin + rows[column]++ * (kBoxHeight + kRowGap)});
  }
  const int height = 2 * kMargin + *std::max_element(rows, rows + 3) * (kBoxHeight + kRowGap);
  const int width = 2 * kMargin + 3 * kBoxWidth + 2 * kColumnGap;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"monospace\" font-size=\"11\">\n"
      "<defs><marker id=\"to\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
      "orient=\"auto\">"
      "<path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n",
      width, height);
  for (const Neighbourhood::Link& link : neighbourhood.links) {
    const Box from = boxes[link.from], to = boxes[link.to];
    const int x1 = from.x + kBoxWidth, y1 = from.y + kBoxHeight / 2, y2 = to.y + kBoxHeight / 2;
    // An edge within the middle column is a curve on its right side.
    const int x2 = from.x == to.x ? to.x + kBoxWidth : to.x, bend = from.x == to.x ? x1 + 60 : (x1 + x2) / 2;
    text += fmt::format(
        "<path d=\"M{} {}C{} {} {} {} {} {}\" fill=\"none\" stroke=\"{}\"{} marker-end=\"url(#to)\">"
        "<title>{} times</title></path>\n",
        x1, y1, bend, y1, bend, y2, x2, y2, link.is_new ? "#c00" : "#777",
        link.is_new ? " stroke-dasharray=\"6 4\"" : "", link.count);
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Neighbourhood::Member& member = neighbourhood.members[i];
    const bool centre = member.role == Neighbourhood::Role::Centre;
    text += fmt::format(
        "<g><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"#fff\" stroke=\"#333\" "
        "stroke-width=\"{}\"/>",
        boxes[i].x, boxes[i].y, kBoxWidth, kBoxHeight, centre ? 2 : 1);
    int y = boxes[i].y + 15;
    for (const std::string& line : {place_text(member.site), lines.find(member.site), context_line(member.context)}) {
      text += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", boxes[i].x + 6, y, html_escaped(line));
      y += 15;
    }
    text += fmt::format("<title>{}</title></g>\n", html_escaped(member.site.function));
  }
  return text + "</svg>\n";
}

}  // namespace heddle::report
