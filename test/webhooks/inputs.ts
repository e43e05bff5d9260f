import { runInNewContext } from 'node:vm';
import type { verifyWebhook } from 'messaging-automation/webhooks';

type Body = Parameters<typeof verifyWebhook>[0];

const foreign: { Uint8Array: Uint8ArrayConstructor; ArrayBuffer: ArrayBufferConstructor } = runInNewContext(
  '({ Uint8Array, ArrayBuffer })',
);

/** Every form in which a framework, a runtime or a queue passes the bytes of a body. */
export const bodyForms: Readonly<Record<string, (bytes: Uint8Array) => Body>> = {
  Uint8Array: (bytes) => bytes,
  // Small ones share one pool.
  Buffer: (bytes) => Buffer.from(bytes),
  ArrayBuffer: (bytes) => bufferOf(bytes),
  'a part of a larger buffer': (bytes) => within(new ArrayBuffer(bytes.length + 16), bytes),
  'a Buffer in a larger buffer': (bytes) => bufferOn(within(new ArrayBuffer(bytes.length + 16), bytes)),
  'a DataView of a part': (bytes) => {
    const { buffer, byteOffset, byteLength } = within(new ArrayBuffer(bytes.length + 16), bytes);
    return new DataView(buffer, byteOffset, byteLength);
  },
  Int8Array: (bytes) => new Int8Array(bufferOf(bytes)),
  Uint8ClampedArray: (bytes) => new Uint8ClampedArray(bytes),
  // An odd number of bytes has no such view.
  Uint16Array: (bytes) => (bytes.length % 2 === 0 ? new Uint16Array(bufferOf(bytes)) : bytes),
  SharedArrayBuffer: (bytes) => {
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    return shared;
  },
  'a part of shared memory': (bytes) => within(new SharedArrayBuffer(bytes.length + 16), bytes),
  'a Buffer of shared memory': (bytes) => bufferOn(within(new SharedArrayBuffer(bytes.length + 16), bytes)),
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

function bufferOn({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** The bytes in the midst of others, which are not to count. */
function within(buffer: ArrayBufferLike, bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(buffer).fill(0x7b);
  whole.set(bytes, 5);
  return whole.subarray(5, 5 + bytes.length);
}

/** What is no signature, though most of it looks like this one, by what is wrong with it. */
export function wrongSignatures(signature: string): readonly (readonly [string, unknown])[] {
  const withoutLast = signature.slice(0, -1);
  return [
    ['undefined', undefined],
    ['null', null],
    ['empty', ''],
    ['blank', ' '.repeat(64)],
    ['an empty list', []],
    ['a list of two, both right', [signature, signature]],
    ['a list of a list', [[signature]]],
    ['a list of the right one and undefined', [signature, undefined]],
    ['two values joined by Node', `${signature}, ${signature}`],
    ['one digit short', withoutLast],
    ['one digit long', `${signature}0`],
    ['twice as long', signature + signature],
    ['with the prefix of another service', `sha256=${signature}`],
    ['with white space before', ` ${signature}`],
    ['with a newline after', `${signature}\n`],
    ['with white space for a digit', `${withoutLast} `],
    ['with a letter beyond f', `${withoutLast}g`],
    ['with junk between digits', `${signature.slice(0, 32)}--${signature.slice(32)}`],
    ['with an accent among 64 characters', `${withoutLast}é`],
    ['with a fullwidth digit', `${withoutLast}\uFF10`],
    // U+0130 and U+212A become ASCII, or two characters, when lowercased.
    ['with letters that change length in lowercase', `${withoutLast}\u0130`],
    ['with a control character that differs from a digit in bit 5 alone', lowerBit5(signature)],
    ['with a NUL', `${withoutLast}\0`],
    ['64 characters outside the BMP', '\u{1F600}'.repeat(32)],
    ['base64', Buffer.from(signature, 'hex').toString('base64')],
    ['a number', 7],
    ['an object', { toString: () => signature }],
    ['a String object', new String(signature)],
    ['the bytes', Buffer.from(signature, 'hex')],
  ];
}

/** A digit 0 to 9 has bit 5 set; without it there is a control character. */
function lowerBit5(hex: string): string {
  return hex.replace(/\d/, (digit) => String.fromCharCode(digit.charCodeAt(0) & ~0x20));
}

/** What is no secret, by what it is. */
export const unusableSecrets: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 12345],
  ['an object', {}],
  ['empty', ''],
  ['blank', ' \t\n'],
  ['the bare prefix', 'whsec_'],
  ['the bare prefix and a newline', 'whsec_\n'],
  ['the bare prefix and a no-break space', 'whsec_\u00A0'],
  ['NUL', '\0'],
  ['followed by a NUL, which pads to the same key', 'whsec_3e1f0a9b7c\0'],
  ['holding half a surrogate pair', 'whsec_3e1f0a9b7c\uD800'],
  ['no bytes', new Uint8Array()],
  ['zeros', new Uint8Array(32)],
  ['the bare prefix in bytes', new TextEncoder().encode('whsec_')],
];
