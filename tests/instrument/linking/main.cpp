#include <cstdio>
#ifdef LOAD_AT_RUN_TIME
#include <dlfcn.h>
#endif

int first(int*);
int second(int*);
extern "C" int library(int*);

int main(int argc, char** argv) {
  int number = argc;
#ifdef LOAD_AT_RUN_TIME
  void* handle = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!handle) return std::printf("%s\n", dlerror()), 1;
  const int loaded = reinterpret_cast<int (*)(int*)>(dlsym(handle, "library"))(&number);
  dlclose(handle);
  std::printf("%d %d %d\n", first(&number), second(&number), loaded);
#else
  (void)argv;
  std::printf("%d %d %d\n", first(&number), second(&number), library(&number));
#endif
}
