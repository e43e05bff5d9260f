/**
 * Bytes in a buffer that is not shared: `Uint8Array<ArrayBuffer>`, in a form that also compiles before TypeScript 5.7,
 * where `Uint8Array` has no type argument.
 */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;

/** The bytes of all pieces, in a buffer of their own. */
export function joined(pieces: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(pieces.reduce((length, { byteLength }) => length + byteLength, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.byteLength;
  }
  return whole;
}
