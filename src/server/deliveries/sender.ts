import { signatureHeader } from '../../contract/delivery.js';
import { type Bytes, joined } from '../../foundation/bytes.js';
import { type FetchFunction, headersOf } from '../../foundation/fetch-function.js';
import { isObject } from '../../foundation/is-object.js';
import { onAbort } from '../../foundation/listeners.js';
import { attempt as attemptTo } from '../../foundation/runtime.js';
import { toLatin1 } from '../../webhooks/crypto/bytes.js';
import { responseLimit } from '../model/journal-entry.js';
import type { AttemptRecord } from '../model/records.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import { problemWithUrl, type ReceiverAddresses } from '../service/address-policy.js';

/** One attempt of a delivery, ready to send. */
export interface OutgoingAttempt {
  readonly url: string;
  readonly body: Bytes;
  readonly signature: string;
  /** How to handle a redirect. */
  readonly redirects: SpecGaps['receiverRedirect'];
}

/** The result of an attempt. Without `error`, the receiver acknowledged it. A fault can also change its start and its signature. */
export type AttemptResult = Partial<Omit<AttemptRecord, 'number' | 'timestamp'>>;

/** Sends attempts over a network. */
export interface Sender {
  /**
   * Makes one attempt. Does not reject.
   *
   * @param cancellation Cancels when the attempt has no more time or the server closes. Its reason is the error of the attempt.
   */
  send(attempt: OutgoingAttempt, cancellation: Cancellation): Promise<AttemptResult>;
  /** Ends the connections that are kept for later attempts. */
  close(): void;
}

/** Ends an attempt from outside. An `AbortSignal` costs a twelfth of a delivery, so only `fetch` gets one. */
export class Cancellation {
  #reason: Error | undefined;
  #listener: (() => void) | undefined;

  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Calls the listener. The first reason stays. */
  cancel(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#listener?.();
  }

  /** Sets what to do when the attempt is cancelled. An attempt has one request at a time, so one listener, the last. */
  set onCancel(listener: () => void) {
    this.#listener = listener;
  }
}

/** Waits for work that may ignore the signal. */
function orAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = onAbort(signal, () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
    work.then(resolve, reject).finally(leave);
  });
}

/** Returns the result of an attempt that got a response. Only a 2xx status acknowledges a delivery. */
export function resultOf(status: number, date: string | null | undefined, response: string): AttemptResult {
  const receiverTime = timeIn(date);
  const acknowledged = status >= 200 && status < 300;
  return {
    status,
    ...(receiverTime !== undefined && { receiverTime }),
    responseBody: response,
    ...(!acknowledged && { error: `the receiver responded with ${status}` }),
  };
}

/** The most characters of the headers that an attempt keeps. */
const headersLimit = 4_096;

/** A response of a receiver while it comes: its head, and the beginning of its body. */
export class ArrivingResponse {
  readonly #status: number;
  readonly #headers: readonly (readonly [name: string, value: string])[];
  readonly #pieces: Uint8Array[] = [];
  #length = 0;
  #isWhole = false;

  constructor(status: number, headers: Iterable<readonly [name: string, value: string]>) {
    this.#status = status;
    this.#headers = [...headers];
  }

  /** Returns the first header with this name in lower case. */
  header(name: string): string | undefined {
    return this.#headers.find(([each]) => each.toLowerCase() === name)?.[1];
  }

  /** Adds a piece of the body, up to the limit. Returns whether there is room for more: a body that never ends must not hold the attempt. */
  add(chunk: Uint8Array): boolean {
    const piece = chunk.subarray(0, responseLimit - this.#length);
    this.#pieces.push(piece);
    this.#length += piece.byteLength;
    return this.#length < responseLimit;
  }

  /** Says that the body has ended. One that filled the room may have had more. */
  end(): void {
    this.#isWhole = this.#length < responseLimit;
  }

  /** Returns the result of the attempt, with as much of the body as was read. */
  result(): AttemptResult {
    const bytes = joined(this.#pieces);
    const decode = (fatal: boolean) =>
      new TextDecoder('utf-8', { ignoreBOM: true, fatal }).decode(bytes, { stream: !this.#isWhole });
    const exact = attemptTo(() => decode(true));
    const text = exact ?? decode(false);
    const length = this.#isWhole ? this.#length : this.#announced();
    let room = headersLimit;
    const kept = this.#headers.filter(([name, value]) => {
      room -= name.length + value.length;
      // A redirect is followed by it.
      return room >= 0 || name.toLowerCase() === 'location';
    });
    return {
      ...resultOf(this.#status, this.header('date'), text),
      headers: kept,
      ...(exact === undefined && { responseBodyBase64: btoa(toLatin1(bytes)) }),
      ...(length !== undefined && { responseBodyLength: length }),
    };
  }

  /** Returns the result of an attempt whose response was interrupted. */
  brokenOff(error: string): AttemptResult {
    return { ...this.result(), responseInterrupted: true, error };
  }

  /** The length that a header announces, of the bytes as they are read. */
  #announced(): number | undefined {
    const length = this.header('content-length');
    const isPlain = this.header('content-encoding') === undefined;
    return isPlain && length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
  }
}

/** Adds the start and the duration of the attempt by the machine's clock, which can be set back during the attempt. */
export function timed(result: AttemptResult, machineTime: number, now: number): AttemptResult {
  return { ...result, machineTime, duration: Math.max(0, Math.round(now - machineTime)) };
}

/** A `Date` header in the only form that RFC 9110 allows servers to write. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function timeIn(date: string | null | undefined): number | undefined {
  if (typeof date !== 'string' || !httpDate.test(date)) return undefined;
  const time = Date.parse(date);
  return Number.isNaN(time) ? undefined : time;
}

export const closed = () => new Error('the server was closed');

/** Describes the error and its cause, because fetch puts the reason, such as ECONNREFUSED, into the cause. */
export function describe(error: unknown): string {
  const cause: unknown = Reflect.get(Object(error), 'cause');
  return isObject(cause) ? `${wordsOf(error)}: ${wordsOf(cause)}` : wordsOf(error);
}

/** The AggregateError of a name with several addresses has a code but no message. */
function wordsOf(error: unknown): string {
  if (!isObject(error)) return String(error);
  return String(Reflect.get(error, 'message') || (Reflect.get(error, 'code') ?? Reflect.get(error, 'name')));
}

/** The largest number of redirects that one attempt follows. */
const redirectLimit = 3;

/**
 * Makes an attempt with one request. If the attempt follows redirects, each redirect adds a POST of the same bytes with
 * the same signature, to a URL that the server's `receiverAddresses` allows.
 */
export async function followingRedirects(
  attempt: OutgoingAttempt,
  allowed: ReceiverAddresses,
  request: (attempt: OutgoingAttempt) => Promise<AttemptResult>,
): Promise<AttemptResult> {
  let { url } = attempt;
  for (let followed = 0; ; followed += 1) {
    const received = await request({ ...attempt, url });
    const result = followed === 0 ? received : { ...received, redirectedTo: url };
    const location = result.headers?.find(([name]) => name.toLowerCase() === 'location')?.[1];
    if (attempt.redirects === 'fail' || !isRedirect(result) || !location) return result;
    if (followed === redirectLimit) {
      return { ...result, error: `the receiver redirected more than ${redirectLimit} times` };
    }
    if (!URL.canParse(location, url)) return { ...result, error: 'the receiver redirected to no URL' };
    url = new URL(location, url).href;
    const problem = problemWithUrl(url, allowed);
    if (problem !== undefined) {
      return { ...result, error: `the receiver redirected to a URL that ${problem}` };
    }
  }
}

function isRedirect({ status = 0 }: AttemptResult): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** Replaces the `timestamp` in the body of a delivery. `time` is in milliseconds since the Unix epoch. */
function restamp(body: Bytes, time: number): Bytes {
  const event: object = JSON.parse(new TextDecoder().decode(body));
  return new TextEncoder().encode(JSON.stringify({ ...event, timestamp: new Date(time).toISOString() }));
}

/** Returns the exact bytes of an attempt, without the changes of an injected fault. */
export function bytesOf(body: Bytes, timestamp: number | undefined): Bytes {
  return timestamp === undefined ? body : restamp(body, timestamp);
}

/** Reads a body up to the limit, and cancels the rest. */
async function readStream(
  body: ReadableStream<Uint8Array> | readonly Uint8Array[],
  received: ArrivingResponse,
): Promise<void> {
  for await (const chunk of body) if (!received.add(chunk)) return;
  received.end();
}

/**
 * Sends with `fetch`, for a custom `fetch` and for platforms without Node's HTTP. By default, a redirect is a failure, because
 * the subscription names the endpoint.
 */
export function createFetchSender(fetch: FetchFunction<Bytes>, receiverAddresses: ReceiverAddresses): Sender {
  async function exchange(
    { url, body, signature }: OutgoingAttempt,
    cancellation: Cancellation,
  ): Promise<AttemptResult> {
    const controller = new AbortController();
    const { signal } = controller;
    cancellation.onCancel = () => controller.abort(cancellation.reason);
    let received: ArrivingResponse | undefined;
    try {
      if (cancellation.reason !== undefined) throw cancellation.reason;
      const asked = fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', [signatureHeader]: signature },
        body,
        redirect: 'manual',
        signal,
      });
      const response = await orAborted(signal, asked);
      received = new ArrivingResponse(response.status, headersOf(response));
      await orAborted(signal, readStream(Object(response.body ?? []), received));
      return received.result();
    } catch (error) {
      return received?.brokenOff(describe(error)) ?? { error: describe(error) };
    }
  }

  return {
    send: (attempt, cancellation) =>
      followingRedirects(attempt, receiverAddresses, (request) => exchange(request, cancellation)),
    close() {}, // fetch keeps its connections itself
  };
}
