# spillway_options: how our own code is compiled. Dependencies are imported targets, whose headers CMake passes as
# system headers, so that these warnings concern our files only. g++ 12 sees overlaps that are not there when strings
# are appended to strings (GCC bug 105651): -Wrestrict is off.
add_library(spillway_options INTERFACE)

# Missing initialisers are not warned about: a member left out of a designated initialiser keeps its initial value,
# and for std::optional that is "unknown", which is meant. clang counts changes of sign under -Wconversion and g++
# does not; both are held to g++'s meaning.
target_compile_options(spillway_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual
    -Wcast-align -Wdouble-promotion -Wextra-semi -Wformat=2 -Wundef
    -Wno-missing-field-initializers -Wno-sign-conversion
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op -Wno-restrict>)

# Bounds of containers are checked where speed does not count.
target_compile_definitions(spillway_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

# float-cast-overflow is not part of "undefined" with g++, and a double that does not fit a count is such a cast.
if(SPILLWAY_SANITIZE)
    set(sanitizers -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all)
    target_compile_options(spillway_options INTERFACE ${sanitizers} -fno-omit-frame-pointer)
    target_link_options(spillway_options INTERFACE ${sanitizers})
endif()
