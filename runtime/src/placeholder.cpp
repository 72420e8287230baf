// SPDX-License-Identifier: BSD-3-Clause
// Goes when the first source of the runtime comes.
#include <ovlp/ovlp.hpp>
