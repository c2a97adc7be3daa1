// This header is found before libstdc++'s <bits/c++config.h>, which all headers of libstdc++ include.
//
// libstdc++ contains compiled code of std::string, whose accesses have no sites. This setting makes the program
// instantiate its own, instrumented code. _GLIBCXX_ASSERTIONS makes the same setting, but also enables assertions. The
// prelude is an include directory and not an -include option, so that precompiled headers and the user's own -include
// options work.
#pragma GCC system_header
#if defined(NDEBUG) && !defined(_GLIBCXX_CXX_CONFIG_H)
__asm__("/* heddle NDEBUG */");  // for NDEBUG checks in the program's own code; see ../assert.h
#endif
#include_next <bits/c++config.h>
#if _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
