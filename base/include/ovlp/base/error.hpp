// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace ovlp {

/// What every exception of ovlp derives from. Once there is an engine, one that nobody catches ends the program with
/// its text and status 1.
///
///     int main(int argc, char** argv) try {
///       ...
///     } catch (ovlp::operation_error const& e) {
///       std::cerr << e.operation << " in " << e.thread << ": " << e.text << '\n';
///     } catch (ovlp::error const& e) {
///       std::cerr << e.what() << '\n';
///     }
///
/// operation_error, network_error and stalled end the run: later calls throw the same. So does a graph_error that a
/// route causes while the run is on. Other errors are thrown where the mistake is made, and end nothing.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The graph is wrong, or used wrongly: thrown when it is built or checked, naming graph, operation and port; when the
/// main program calls a graph that the run does not know, takes a result twice, or calls the engine from another
/// thread; and for objects of one group that are routed to two closers, which ends the run. In an operation, as by a
/// post on a discarded port, it is an exception like others: the main program gets it as an operation_error.
class graph_error : public error {
 public:
  using error::error;
};

/// An input file, a mapping or an option is wrong, or a change of a collection is refused, or something is asked of
/// the engine at the wrong time: names the file, the key or line, and what was expected.
class config_error : public error {
 public:
  using error::error;
};

/// A node is lost, could not join, or a connection failed: names the node and what was being done. Real runs only.
class network_error : public error {
 public:
  using error::error;
};

/// A file or the disk failed: names the file and what was being done.
class io_error : public error {
 public:
  using error::error;
};

/// Bytes from outside are not what an object of the expected type writes: says where and why. A program meets it if it
/// uses a `reader` itself; in a run, a peer that sends such bytes is lost (network_error).
class decode_error : public error {
 public:
  using error::error;
};

/// An operation threw: carries what is known of the exception, the same on every engine, and ends the run. Concurrent
/// calls all end with it. The exception itself stays on its node; of one that is no std::exception only the type is
/// known. Also thrown for the maker of a thread's state and for on_leave, which then stand for the operation's name.
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

/// The run can not go on: operations wait and nothing is in flight; the text lists who waits for what, a line each. In
/// a simulation it is found at once, in a real run within seconds.
class stalled : public error {
 public:
  using error::error;
};

}  // namespace ovlp
