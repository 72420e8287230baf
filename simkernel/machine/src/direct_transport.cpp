// SPDX-License-Identifier: BSD-3-Clause
#include "message_path.hpp"
#include "transports.hpp"

namespace ovlp::machine {
namespace {

/// Whole objects: each crosses the network on its own, as soon as the node's I/O thread has handled it; an object is in
/// transfer until it has crossed. Source: the paper, section 4.
class direct_transport final : public transport {
 public:
  explicit direct_transport(message_path& path) : path_(path) {}

  bool sender_copies() const override { return false; }
  void take(message& m) override { path_.cross(m); }
  void crossed(message& m) override {
    if (m.kind == message::kind_type::object) m.accepted();
  }

 private:
  message_path& path_;
};

}  // namespace

transport_model direct_transport_model() {
  return {"direct", [](message_path& path) { return std::make_unique<direct_transport>(path); }};
}

transport_maker read_direct_transport(base::json_object&) { return direct_transport_model().make; }

}  // namespace ovlp::machine
