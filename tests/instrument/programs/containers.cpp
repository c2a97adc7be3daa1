// The standard containers, whose helpers are partly in libstdc++.
#include <algorithm>
#include <cstdio>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

static std::map<int, std::string> squares;
static std::list<int> numbers;
static std::set<std::string> words;
static std::unordered_map<std::string, int> counts;

int main() {
  for (int i = 0; i < 50; ++i) squares[i * 7 % 50] = std::to_string(i * i);
  for (int i = 0; i < 50; i += 3) squares.erase(i);
  for (const auto& [key, value] : squares) std::printf("%d:%s ", key, value.c_str());
  for (int i = 0; i < 20; ++i) numbers.push_back(i * 13 % 20);
  numbers.sort();
  numbers.reverse();
  std::list<int> others = {100, 200, 300};
  numbers.splice(numbers.begin(), others);
  numbers.remove_if([](int number) { return number % 4 == 0; });
  std::printf("\n");
  for (int number : numbers) std::printf("%d ", number);
  for (const char* text : {"weft", "warp", "heddle", "shuttle", "warp", "loom"}) {
    words.insert(text);
    ++counts[text];
  }
  std::printf("\n");
  for (auto word = words.rbegin(); word != words.rend(); ++word) std::printf("%s=%d ", word->c_str(), counts[*word]);
  std::vector<std::string> sorted(words.begin(), words.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.size() < b.size() || (a.size() == b.size() && a < b); });
  for (const std::string& word : sorted) std::printf("%s ", word.c_str());
  std::printf("\n");
}
