import { runInNewContext } from 'node:vm';

const foreign: { Uint8Array: Uint8ArrayConstructor; ArrayBuffer: ArrayBufferConstructor } = runInNewContext(
  '({ Uint8Array, ArrayBuffer })',
);

/** Every form in which a framework, a runtime or a queue hands over the bytes of a body. */
export const bodyForms: Readonly<Record<string, (bytes: Uint8Array) => unknown>> = {
  Uint8Array: (bytes) => bytes,
  // Small ones share one pool.
  Buffer: (bytes) => Buffer.from(bytes),
  ArrayBuffer: (bytes) => bufferOf(bytes),
  'a part of a larger buffer': (bytes) => within(new ArrayBuffer(bytes.length + 16), bytes),
  'a Buffer in a larger buffer': (bytes) => {
    const view = within(new ArrayBuffer(bytes.length + 16), bytes);
    return Buffer.from(view.buffer, view.byteOffset, view.length);
  },
  'a DataView of a part': (bytes) => {
    const { buffer, byteOffset, byteLength } = within(new ArrayBuffer(bytes.length + 16), bytes);
    return new DataView(buffer, byteOffset, byteLength);
  },
  Int8Array: (bytes) => new Int8Array(bufferOf(bytes)),
  Uint8ClampedArray: (bytes) => new Uint8ClampedArray(bytes),
  // Of the bytes that an odd number of them leaves over, there is no such view.
  Uint16Array: (bytes) => (bytes.length % 2 === 0 ? new Uint16Array(bufferOf(bytes)) : bytes),
  SharedArrayBuffer: (bytes) => {
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    return shared;
  },
  'a part of shared memory': (bytes) => within(new SharedArrayBuffer(bytes.length + 16), bytes),
  'a Buffer of shared memory': (bytes) => {
    const view = within(new SharedArrayBuffer(bytes.length + 16), bytes);
    return Buffer.from(view.buffer, view.byteOffset, view.length);
  },
  "another realm's Uint8Array": (bytes) => foreign.Uint8Array.from(bytes),
  "another realm's ArrayBuffer": (bytes) => {
    const buffer = new foreign.ArrayBuffer(bytes.length);
    new Uint8Array(buffer).set(bytes);
    return buffer;
  },
};

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

/** The bytes in the midst of others, which are not to count. */
function within(buffer: ArrayBufferLike, bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(buffer).fill(0x7b);
  whole.set(bytes, 5);
  return whole.subarray(5, 5 + bytes.length);
}
