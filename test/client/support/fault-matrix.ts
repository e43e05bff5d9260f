import { readFileSync } from 'node:fs';
import {
  type ClientOptions,
  ConnectionError,
  RateLimitError,
  RequestError,
  ServerError,
  TimeoutError,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { repositoryFile } from '../../repository.js';
import { until } from '../../waiting.js';
import { type Behaviour, faults, reply } from './behaviours.js';
import { everyCall, repeatable } from './calls.js';
import { eagerClock, manualClock } from './clocks.js';
import { clientOf, deserted, rejection, startService, startUnreadingService } from './service.js';

/** What becomes of a call with two retries: how many requests arrive, and the error it ends with. */
interface Expectation {
  /** Starts the service with the fault; `arrived` counts the requests. */
  readonly start: () => Promise<{ readonly baseUrl: string; readonly arrived: () => number }>;
  readonly requests: { readonly repeatable: number; readonly once: number };
  readonly error: typeof RequestError;
  readonly outcome: RequestError['outcome'];
  /** Whether the error says that the call may be made again. */
  readonly retryable: { readonly repeatable: boolean; readonly once: boolean };
  /** Set where only the deadline ends the call. */
  readonly untilDeadline?: true;
  /** Set where attempts are made that do not arrive. */
  readonly attempts?: number;
}

const onlyRepeatable = { repeatable: true, once: false };
const always = { repeatable: true, once: true };
const thrice = { repeatable: 3, once: 3 };
const one = { repeatable: 1, once: 1 };
const lost = { requests: { repeatable: 3, once: 1 }, outcome: 'unknown', retryable: onlyRepeatable } as const;
const turnedAway = {
  requests: thrice,
  error: RateLimitError,
  outcome: 'rejected',
  retryable: always,
} as const;
const stalled = {
  requests: one,
  error: TimeoutError,
  outcome: 'unknown',
  retryable: onlyRepeatable,
  untilDeadline: true,
} as const;

const over = (behave: Behaviour) => async () => {
  const { baseUrl, requests } = await startService(behave);
  return { baseUrl, arrived: () => requests.length };
};
const busy = (retryAfter: string) => over(reply(429, {}, { 'retry-after': retryAfter }));
const failing = over(reply(500, { error: { code: 'internal_error' } }));

const expectations: Readonly<Record<string, Expectation>> = {
  'accepts, then resets': { start: over(faults.reset), error: ConnectionError, ...lost },
  'drops the connection mid-body': { start: over(faults.dropMidBody), error: ConnectionError, ...lost },
  'a 500': { start: failing, error: ServerError, ...lost },
  '502 and a page': { start: over(reply(502, '<html></html>')), error: ServerError, ...lost },
  'a 408': { start: over(reply(408)), error: RequestError, ...lost },
  'a 429': { start: over(reply(429)), ...turnedAway },
  '429, Retry-After in seconds': { start: busy('3'), ...turnedAway },
  '429, Retry-After as a date': { start: busy('Thu, 01 Jan 2026 00:00:02 GMT'), ...turnedAway },
  '429, Retry-After beyond the cap': { start: busy('3600'), ...turnedAway, requests: one },
  'stalls before the headers, until the deadline': { start: over(faults.stall), ...stalled },
  'stalls mid-body, until the deadline': { start: over(faults.stallMidBody), ...stalled },
  // The client cannot know that nothing was read, so it is as careful as if all had been.
  'resets before reading': { start: startUnreadingService, error: ConnectionError, ...lost },
  'is not there': {
    start: async () => ({ baseUrl: await deserted(), arrived: () => 0 }),
    requests: { repeatable: 0, once: 0 },
    error: ConnectionError,
    outcome: 'not_sent',
    retryable: always,
    attempts: 3,
  },
};

const kindOf = (name: string) => (name in repeatable ? 'repeatable' : 'once');

/** Every operation against every fault, over a transport: how many requests arrive, and what the caller gets. */
export function faultMatrix(transport: Pick<ClientOptions, 'transport'>): void {
  const client: typeof clientOf = (service, options) => clientOf(service, { ...transport, ...options });

  describe.each(Object.entries(expectations))('a service that %s', (_, expectation) => {
    const { start, requests, error, outcome, retryable, untilDeadline, attempts } = expectation;

    test.for(Object.entries(everyCall))('%s', async ([operation, call]) => {
      const kind = kindOf(operation);
      const service = await start();
      const clock = untilDeadline ? manualClock() : eagerClock();
      const failed = rejection(call(client(service, { clock })));
      if ('advance' in clock) {
        await until('the request', () => service.arrived() === 1);
        clock.advance(30_000);
      }
      const failure = await failed;

      expect(service.arrived()).toBe(requests[kind]);
      expect(failure).toBeInstanceOf(error);
      const facts = { operation, outcome, retryable: retryable[kind], attempts: attempts ?? requests[kind] };
      expect(failure).toMatchObject(facts);
      if ('timers' in clock) expect(clock.timers()).toBe(0);
    });

    if (untilDeadline) return;
    test.for(Object.entries(everyCall))('%s is one request with retries: 0', async ([, call]) => {
      const service = await start();
      const failures = [
        await rejection(call(client(service, { retries: 0 }))),
        await rejection(call(client(service), { retries: 0 })),
      ];

      if (attempts === undefined) expect(service.arrived()).toBe(2);
      for (const failure of failures) expect(failure).toMatchObject({ outcome, attempts: 1 });
    });
  });

  test('the decision shows what the tests find', async () => {
    const decision = readFileSync(repositoryFile('docs/decisions/the-client-owns-its-retries.md'), 'utf8');
    expect(decision).toContain(`\`\`\`text\n${table()}\n\`\`\`\n`);
  });
}

/** A table of 80 columns: the faults have letters, which a legend explains. */
function table(): string {
  const faults = Object.entries(expectations).map(([fault, { requests, outcome }], index) => ({
    letter: String.fromCharCode('a'.charCodeAt(0) + index),
    fault,
    outcome,
    ...requests,
  }));
  const width = Math.max(...faults.map(({ fault }) => fault.length));
  const row = (name: string, column: 'letter' | 'repeatable' | 'once') =>
    `${name.padEnd(20)}${faults.map((fault) => String(fault[column]).padStart(3)).join('')}`;
  return [
    'requests that arrive, two retries allowed, and the outcome of the error',
    '',
    ...faults.map(({ letter, fault, outcome }) => `${letter}  ${fault.padEnd(width)}  ${outcome}`),
    '',
    row('', 'letter'),
    row('repeatable', 'repeatable'),
    row('once', 'once'),
  ].join('\n');
}
