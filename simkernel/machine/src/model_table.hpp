// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <ovlp/base/json_object.hpp>
#include <ovlp/machine/platform.hpp>

namespace ovlp::machine {

/// A model that a platform file can name, and what reads its parameters.
template <class Model>
using known_model = base::named<decltype(Model::make) (*)(base::json_object&)>;

/// The one of a table of them that stands under `key`, with the parameters beside it. Errors: config_error.
template <class Model, class Table>
Model read_model(base::json_object& from, std::string const& key, Table const& table) {
  known_model<Model> const& chosen = from.choice(key, table);
  Model read{chosen.name, chosen.value(from)};
  from.end();
  return read;
}

}  // namespace ovlp::machine
