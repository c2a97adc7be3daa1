// An empty libheddle_rt.so for fake_program.cpp: the host accepts only programs that are linked with a library of that
// name.
extern "C" __attribute__((visibility("default"))) void heddle_fake_runtime() {}
