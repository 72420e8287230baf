// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace ovlp {

/// What every exception of ovlp derives from.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The graph is wrong: thrown when it is built, naming operation and port.
class graph_error : public error {
 public:
  using error::error;
};

/// An input file or option is wrong: names the file, the key or line, and what was expected.
class config_error : public error {
 public:
  using error::error;
};

/// A socket or a peer failed: names the peer and what was being done.
class network_error : public error {
 public:
  using error::error;
};

/// A file or the disk failed: names the file and what was being done.
class io_error : public error {
 public:
  using error::error;
};

/// Bytes from outside are not what an object of the expected type writes: says where and why.
class decode_error : public error {
 public:
  using error::error;
};

/// An operation threw: carries what is known of the exception, the same on every engine, and ends the call.
class operation_error : public error {
 public:
  operation_error(std::string thrown_type, std::string in_operation, std::string in_thread, std::string on_node,
                  std::string thrown_text)
      : error("operation '" + in_operation + "' in thread " + in_thread + " on " + on_node + " threw " + thrown_type +
              ": " + thrown_text),
        type(std::move(thrown_type)),
        operation(std::move(in_operation)),
        thread(std::move(in_thread)),
        node(std::move(on_node)),
        text(std::move(thrown_text)) {}

  std::string type;       ///< Name of the exception's type, readable.
  std::string operation;  ///< Name of the operation that threw.
  std::string thread;     ///< Collection and index of the DPS thread, as "columns[3]".
  std::string node;       ///< Name of the node.
  std::string text;       ///< The exception's own text.
};

/// The run can not go on: operations wait and nothing is in flight; the text lists who waits for what.
class stalled : public error {
 public:
  using error::error;
};

}  // namespace ovlp
