# SPDX-License-Identifier: BSD-3-Clause

# Makes a source of the files in platforms/, so that programs know them by name, wherever they are installed.
function(ovlp_embed_platforms source)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/platforms/*.json)
  set(entries "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    cmake_path(GET file STEM name)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"json(${text})json\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include "known_platforms.hpp"

namespace ovlp::machine {

std::map<std::string, char const*> const& known_platforms() {
  static std::map<std::string, char const*> const known = {
@entries@  };
  return known;
}

}  // namespace ovlp::machine
]])
endfunction()
