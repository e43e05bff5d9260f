import type { Bytes } from '../../foundation/bytes.js';
import { isObject } from '../../foundation/is-object.js';
import type { SpecGaps } from '../model/spec-gaps.js';

/** One attempt of a delivery, ready to send. */
export interface Attempt {
  readonly url: string;
  readonly body: Bytes;
  readonly signature: string;
  /** How to handle a redirect. */
  readonly redirects: SpecGaps['receiverRedirect'];
}

/** The result of an attempt. Without `error`, the receiver acknowledged it. */
export interface AttemptResult {
  readonly status?: number;
  readonly answer?: string;
  readonly error?: string;
}

/** Sends attempts. `send` never rejects. */
export interface Sender {
  send(attempt: Attempt): Promise<AttemptResult>;
  /** Aborts all running and future attempts. */
  close(): void;
}

/** How much of a receiver's response the server reads and keeps. In bytes. */
export const answerLimit = 4096;

/** The result of an attempt with this response (§6): only a 2xx acknowledges. */
export function resultOf(status: number, answer: string): AttemptResult {
  const acknowledged = status >= 200 && status < 300;
  return {
    status,
    answer,
    ...(!acknowledged && { error: `the receiver answered ${status}, not a 2xx` }),
  };
}

export const closed = () => new Error('the server was closed');

/** Describes the error and its cause: fetch hides the reason, such as ECONNREFUSED, in the cause. */
export function describe(error: unknown): string {
  const cause: unknown = Reflect.get(Object(error), 'cause');
  return isObject(cause) ? `${wordsOf(error)}: ${wordsOf(cause)}` : wordsOf(error);
}

/** The AggregateError of a name with several addresses has a code but no message. */
function wordsOf(error: unknown): string {
  if (!isObject(error)) return String(error);
  return String(Reflect.get(error, 'message') || (Reflect.get(error, 'code') ?? Reflect.get(error, 'name')));
}
