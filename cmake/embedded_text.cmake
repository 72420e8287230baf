# SPDX-License-Identifier: BSD-3-Clause

# Makes a source of a file, with a function NAMESPACE::FUNCTION that returns its text: so programs have it wherever they
# are installed. HEADER declares it.
function(ovlp_embed_text source header namespace function file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include "@header@"

namespace @namespace@ {

char const* @function@() { return R"text(@text@)text"; }

}  // namespace @namespace@
]])
endfunction()
