#include <cstdio>
#include <string>

std::string shared_text;

int main() {
  for (int i = 0; i < 1000; ++i) shared_text.append("abc");
  std::printf("%zu\n", shared_text.size());
}
