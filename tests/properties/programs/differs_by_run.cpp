// Behaves differently in every second run; a file, its argument, counts the runs.
#include <cstdio>
#include <thread>

int left_side, right_side;

void go_left() { ++left_side; }
void go_right() { ++right_side; }

void decide(bool left) {
  if (left)
    go_left();
  else
    go_right();
}

int main(int count, char** arguments) {
  if (count < 2) return 2;
  int runs = 0;
  if (std::FILE* file = std::fopen(arguments[1], "r")) {
    if (std::fscanf(file, "%d", &runs) != 1) runs = 0;
    std::fclose(file);
  }
  if (std::FILE* file = std::fopen(arguments[1], "w")) {
    std::fprintf(file, "%d", runs + 1);
    std::fclose(file);
  }
  std::thread other([runs] { decide(runs % 2 == 0); });
  other.join();
}
