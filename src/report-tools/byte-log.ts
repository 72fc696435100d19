// A growing run of bytes that is appended to piece by piece and never copied as a whole but when it doubles.

export interface ByteLog {
  append(piece: Uint8Array): void;
  /** A view of all that was appended; valid until the next append. */
  bytes(): Uint8Array;
}

/** Starts empty, with room for 4 KiB. */
export function createByteLog(): ByteLog {
  let buffer = Buffer.allocUnsafe(4_096);
  let length = 0;

  return {
    append(piece) {
      if (length + piece.length > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, length + piece.length));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      buffer.set(piece, length);
      length += piece.length;
    },
    bytes: () => buffer.subarray(0, length),
  };
}
