import type { Bytes } from '../../foundation/bytes.js';
import { isObject } from '../../foundation/is-object.js';
import type { SpecGaps } from '../model/spec-gaps.js';

/** One attempt at a delivery, ready to go out. */
export interface Attempt {
  readonly url: string;
  readonly body: Bytes;
  readonly signature: string;
  /** What becomes of a redirect. */
  readonly redirects: SpecGaps['receiverRedirect'];
}

/** What came of it: without `error`, the receiver acknowledged. */
export interface AttemptResult {
  readonly status?: number;
  readonly answer?: string;
  readonly error?: string;
}

/** Sends attempts. `send` never rejects. */
export interface Sender {
  send(attempt: Attempt): Promise<AttemptResult>;
  /** Gives up whatever is under way, and whatever comes after. */
  close(): void;
}

/** How much of a receiver's answer is read and kept. In bytes. */
export const answerLimit = 4096;

/** What an answer makes of an attempt (§6): a 2xx acknowledges, and nothing else does. */
export function resultOf(status: number, answer: string): AttemptResult {
  const acknowledged = status >= 200 && status < 300;
  return { status, answer, ...(!acknowledged && { error: `the receiver answered ${status}, not a 2xx` }) };
}

export const closed = () => new Error('the server was closed');

/** The error and what caused it: fetch hides the reason, such as ECONNREFUSED, in the cause. */
export function describe(error: unknown): string {
  const cause: unknown = Reflect.get(Object(error), 'cause');
  return isObject(cause) ? `${wordsOf(error)}: ${wordsOf(cause)}` : wordsOf(error);
}

/** An AggregateError, of a name that stands for several addresses, has a code but no message. */
function wordsOf(error: unknown): string {
  if (!isObject(error)) return String(error);
  return String(Reflect.get(error, 'message') || (Reflect.get(error, 'code') ?? Reflect.get(error, 'name')));
}
