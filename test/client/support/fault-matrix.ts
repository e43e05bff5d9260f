import {
  type ClientOptions,
  ConnectionError,
  RateLimitError,
  RequestError,
  ServerError,
  TimeoutError,
} from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { everyCall, once, repeatable } from './calls.js';
import { eagerClock, manualClock } from './clocks.js';
import {
  answer,
  type Behaviour,
  clientOf,
  deserted,
  faults,
  rejection,
  startService,
  startUnreadingService,
} from './service.js';

const calls = Object.entries(everyCall);

/** What becomes of a call with two retries: how many requests arrive, and the error it ends with. */
interface Expectation {
  readonly fault: string;
  readonly behave: Behaviour;
  readonly requests: { readonly repeatable: number; readonly once: number };
  readonly error: typeof RequestError;
  readonly outcome: RequestError['outcome'];
  /** Whether the error says that the call may be made again. */
  readonly retryable: { readonly repeatable: boolean; readonly once: boolean };
}

const onlyRepeatable = { repeatable: true, once: false };
const mayHaveBeenSeen = {
  requests: { repeatable: 3, once: 1 },
  outcome: 'unknown',
  retryable: onlyRepeatable,
} as const;
const turnedAway = {
  requests: { repeatable: 3, once: 3 },
  error: RateLimitError,
  outcome: 'rejected',
  retryable: { repeatable: true, once: true },
} as const;

const expectations: readonly Expectation[] = [
  { fault: 'accepts, then resets', behave: faults.reset, error: ConnectionError, ...mayHaveBeenSeen },
  {
    fault: 'drops the connection mid-body',
    behave: faults.dropMidBody,
    error: ConnectionError,
    ...mayHaveBeenSeen,
  },
  {
    fault: 'answers 500',
    behave: answer(500, { error: { code: 'internal_error' } }),
    error: ServerError,
    ...mayHaveBeenSeen,
  },
  {
    fault: 'answers 502 with a page',
    behave: answer(502, '<html>Bad gateway</html>'),
    error: ServerError,
    ...mayHaveBeenSeen,
  },
  { fault: 'answers 408', behave: answer(408), error: RequestError, ...mayHaveBeenSeen },
  { fault: 'answers 429', behave: answer(429), ...turnedAway },
  {
    fault: 'answers 429, Retry-After in seconds',
    behave: answer(429, {}, { 'retry-after': '3' }),
    ...turnedAway,
  },
  {
    fault: 'answers 429, Retry-After as a date',
    behave: answer(429, {}, { 'retry-after': 'Thu, 01 Jan 2026 00:00:02 GMT' }),
    ...turnedAway,
  },
];

/** Every operation against every fault, over a transport: how many requests arrive, and what the caller is told. */
export function faultMatrix(transport: Pick<ClientOptions, 'transport'>): void {
  const client: typeof clientOf = (service, options) => clientOf(service, { ...transport, ...options });

  describe.each(expectations)('a service that $fault', ({ behave, requests, error, outcome, retryable }) => {
    test.for(calls)('%s', async ([name, call]) => {
      const kind = name in repeatable ? 'repeatable' : 'once';
      const service = await startService(behave);
      const failure = await rejection(call(client(service, { clock: eagerClock() })));

      expect(service.requests).toHaveLength(requests[kind]);
      expect(failure).toBeInstanceOf(error);
      expect(failure).toMatchObject({
        operation: name,
        outcome,
        retryable: retryable[kind],
        attempts: requests[kind],
      });
    });
  });

  describe.each([
    ['before the headers', faults.stall],
    ['mid-body', faults.stallMidBody],
  ])('a service that stalls %s', (_, behave) => {
    test.for(calls)('%s gets one request, and the deadline ends it', async ([name, call]) => {
      const clock = manualClock();
      const service = await startService(behave);
      const failed = rejection(call(client(service, { clock })));
      await service.received(1);
      clock.advance(30_000);

      const failure = await failed;
      expect(failure).toBeInstanceOf(TimeoutError);
      expect(failure).toMatchObject({
        operation: name,
        outcome: 'unknown',
        retryable: name in repeatable,
        attempts: 1,
      });
      expect(service.requests).toHaveLength(1);
      expect(clock.timers()).toBe(0);
    });
  });

  describe('a service that resets before reading', () => {
    test.for(calls)('%s', async ([name, call]) => {
      const service = await startUnreadingService();
      const failure = await rejection(call(client(service, { clock: eagerClock() })));

      // The client cannot know that nothing was read, so it is as careful as if all had been.
      expect(service.connections()).toBe(name in repeatable ? 3 : 1);
      expect(failure).toBeInstanceOf(ConnectionError);
      expect(failure).toMatchObject({ outcome: 'unknown' });
    });
  });

  describe('a service that is not there', () => {
    test.for(calls)('%s is attempted three times, for nothing was sent', async ([name, call]) => {
      const failure = await rejection(call(client({ baseUrl: await deserted() }, { clock: eagerClock() })));

      expect(failure).toBeInstanceOf(ConnectionError);
      expect(failure).toMatchObject({
        operation: name,
        outcome: 'not_sent',
        retryable: true,
        attempts: 3,
        code: 'ECONNREFUSED',
      });
    });
  });

  describe('retries: 0 is one request', () => {
    test.for(calls)('%s', async ([, call]) => {
      const service = await startService(answer(429));
      await rejection(call(client(service, { retries: 0 })));
      await rejection(call(client(service), { retries: 0 }));

      expect(service.requests).toHaveLength(2);
    });
  });

  test.for(Object.entries(once))(
    '%s is one request when the service fails after accepting',
    async ([, call]) => {
      const service = await startService(faults.reset);
      await rejection(call(client(service, { clock: eagerClock() }), { retries: 10 }));

      expect(service.requests).toHaveLength(1);
    },
  );
}
