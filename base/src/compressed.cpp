// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/compressed.hpp>

#include <zstd.h>

#include <cstddef>
#include <filesystem>
#include <memory>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>

namespace ovlp::base {
namespace {

constexpr std::string_view ending = ".zst";
/// Of a text; some kilobytes may claim to be any number of gigabytes.
constexpr std::size_t most_bytes = std::size_t{1} << 30;
/// 2 MB take it 0.05 s. The highest one makes them smaller by another sixth, and takes over a second.
constexpr int level = 9;

bool is_compressed(std::string const& file) { return file.ends_with(ending); }

std::string decompressed(std::string const& bytes, std::string const& file) {
  auto const fail = [&](std::string const& what) {
    throw config_error(file + ": expected text compressed by zstd: " + what);
  };
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> const context{::ZSTD_createDCtx(), &ZSTD_freeDCtx};
  std::string text, piece(::ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer from{bytes.data(), bytes.size(), 0};
  std::size_t missing = 0;
  bool is_full = false;
  do {
    ZSTD_outBuffer to{piece.data(), piece.size(), 0};
    missing = ::ZSTD_decompressStream(context.get(), &to, &from);
    if (::ZSTD_isError(missing) != 0) fail(::ZSTD_getErrorName(missing));
    text.append(piece, 0, to.pos);
    if (text.size() > most_bytes) fail("at most " + std::to_string(most_bytes >> 20) + " MiB of it, got more");
    is_full = to.pos == to.size;
  } while (from.pos < from.size || (missing > 0 && is_full));
  if (missing > 0) fail("it ends too early");
  return text;
}

std::string compressed(std::string_view text) {
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> const context{::ZSTD_createCCtx(), &ZSTD_freeCCtx};
  ::ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ::ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);  // figures must not change without a word
  std::string bytes(::ZSTD_compressBound(text.size()), '\0');
  std::size_t const size = ::ZSTD_compress2(context.get(), bytes.data(), bytes.size(), text.data(), text.size());
  if (::ZSTD_isError(size) != 0) throw io_error(std::string("zstd: ") + ::ZSTD_getErrorName(size));
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::string plain_or_compressed(std::string const& file) {
  std::string other = file + std::string(ending);
  if (!std::filesystem::exists(other)) return file;
  if (std::filesystem::exists(file))
    throw config_error(file + ": expected it plain or compressed, but '" + other + "' is there too");
  return other;
}

std::string read_compressed(std::string const& file) {
  return is_compressed(file) ? decompressed(read_file(file), file) : read_file(file);
}

void replace_compressed(std::string const& file, std::string_view text) {
  is_compressed(file) ? replace_file(file, compressed(text)) : replace_file(file, text);
}

}  // namespace ovlp::base
