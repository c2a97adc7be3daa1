// Found before libstdc++'s own <bits/c++config.h>, which all of its headers include.
//
// The library holds compiled copies of std::string, whose accesses would not be seen; with this setting the program gets
// its own, instrumented copy. It is the setting that _GLIBCXX_ASSERTIONS makes, without the assertions. An include
// directory rather than -include: precompiled headers and the order of the user's own -include options stay as they are.
#pragma GCC system_header
#if defined(NDEBUG) && !defined(_GLIBCXX_CXX_CONFIG_H)
__asm__("/* heddle NDEBUG */");  // for checks of the program's own that depend on it; see <assert.h> beside this folder
#endif
#include_next <bits/c++config.h>
#if _GLIBCXX_EXTERN_TEMPLATE > 0
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
