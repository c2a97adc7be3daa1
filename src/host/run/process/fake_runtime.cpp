// Stands in for libheddle_rt.so beside fake_program.cpp: being linked with a library of that name is what makes a
// program one that can be controlled.
extern "C" __attribute__((visibility("default"))) void heddle_fake_runtime() {}
