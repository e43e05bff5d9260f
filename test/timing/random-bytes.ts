import { createCipheriv, createHash } from 'node:crypto';

/** Gives so many random bytes. */
export type RandomBytes = (length: number) => Buffer;

/** Random bytes that are the same for the same seed: the key stream of a cipher. */
export function createRandomBytes(seed: string): RandomBytes {
  const key = createHash('sha256').update(seed).digest();
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return (length) => cipher.update(Buffer.alloc(length));
}
