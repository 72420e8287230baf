# SPDX-License-Identifier: BSD-3-Clause

# Makes a source of files, with a function NAMESPACE::FUNCTION that returns their texts, by name without extension: so
# programs have them wherever they are installed. HEADER declares it:
#   std::map<std::string, char const*> const& FUNCTION();
function(ovlp_embed_texts source header namespace function)
  set(entries "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    cmake_path(GET file STEM name)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"text(${text})text\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include "@header@"

namespace @namespace@ {

std::map<std::string, char const*> const& @function@() {
  static std::map<std::string, char const*> const texts = {
@entries@  };
  return texts;
}

}  // namespace @namespace@
]])
endfunction()
