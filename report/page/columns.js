// SPDX-License-Identifier: BSD-3-Clause
// Columns of numbers, as src/columns.cpp packs them.

const arrays = { u16: Uint16Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** What an element holds, packed; it is not kept on the page. */
export async function inflate(id) {
  const element = document.getElementById(id);
  const packed = new Blob([bytesOf(element.textContent)]);
  element.remove();
  const stream = packed.stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The numbers of a column. */
export async function unpack({ column, type, count }) {
  const grouped = await inflate(`column${column}`);
  const values = new arrays[type](count);
  const bytes_of = (byte) => grouped.subarray(byte * count, (byte + 1) * count);
  if (type === "u16") {
    const [low, high] = [0, 1].map(bytes_of);
    for (let i = 0; i < count; ++i) values[i] = low[i] | (high[i] << 8);
    return values;
  }
  const words = new Uint32Array(values.buffer), in_a_value = values.BYTES_PER_ELEMENT / 4;
  for (let word = 0; word < in_a_value; ++word) {
    const [a, b, c, d] = [0, 1, 2, 3].map((byte) => bytes_of(4 * word + byte));
    for (let i = 0; i < count; ++i) words[i * in_a_value + word] = a[i] | (b[i] << 8) | (c[i] << 16) | (d[i] << 24);
  }
  return values;
}
