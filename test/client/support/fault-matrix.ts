import {
  type ClientOptions,
  ConnectionError,
  RateLimitError,
  RequestError,
  ServerError,
  TimeoutError,
} from 'messaging-automation';
import { afterAll, describe, expect, test } from 'vitest';
import { repositoryFile } from '../../repository.js';
import { everyCall, once, repeatable } from './calls.js';
import { eagerClock, manualClock } from './clocks.js';
import { FaultTable } from './fault-table.js';
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
  {
    fault: 'answers 429, Retry-After beyond the cap',
    behave: answer(429, {}, { 'retry-after': '3600' }),
    ...turnedAway,
    requests: { repeatable: 1, once: 1 },
  },
];

const kindOf = (name: string) => (name in repeatable ? 'repeatable' : 'once');

/** How many faults the table has, these and those with tests of their own. */
const faultCount = expectations.length + 4;

/** Every operation against every fault, over a transport: how many requests arrive, and what the caller is told. */
export function faultMatrix(over: string, transport: Pick<ClientOptions, 'transport'>): void {
  const client: typeof clientOf = (service, options) => clientOf(service, { ...transport, ...options });
  const observed = new FaultTable();
  afterAll(() => {
    if (observed.size > 0) process.stdout.write(`\nOver ${over}: ${observed}\n`);
  });

  describe.each(expectations.map((one) => [one.fault, one] as const))(
    'a service that %s',
    (fault, expectation) => {
      const { behave, requests, error, outcome, retryable } = expectation;

      test.for(calls)('%s', async ([name, call]) => {
        const kind = kindOf(name);
        const service = await startService(behave);
        const failure = await rejection(call(client(service, { clock: eagerClock() })));
        observed.add(kind, name, fault, service.requests.length, failure);

        expect(service.requests).toHaveLength(requests[kind]);
        expect(failure).toBeInstanceOf(error);
        expect(failure).toMatchObject({
          operation: name,
          outcome,
          retryable: retryable[kind],
          attempts: requests[kind],
        });
      });

      test.for(calls)('%s is one request with retries: 0', async ([, call]) => {
        const service = await startService(behave);
        const failures = [
          await rejection(call(client(service, { retries: 0 }))),
          await rejection(call(client(service), { retries: 0 })),
        ];

        expect(service.requests).toHaveLength(2);
        for (const failure of failures) expect(failure).toMatchObject({ outcome, attempts: 1 });
      });
    },
  );

  describe.each([
    ['before the headers', faults.stall],
    ['mid-body', faults.stallMidBody],
  ])('a service that stalls %s', (where, behave) => {
    test.for(calls)('%s gets one request, and the deadline ends it', async ([name, call]) => {
      const clock = manualClock();
      const service = await startService(behave);
      const failed = rejection(call(client(service, { clock })));
      await service.received(1);
      clock.advance(30_000);

      const failure = await failed;
      observed.add(
        kindOf(name),
        name,
        `stalls ${where}, until the deadline`,
        service.requests.length,
        failure,
      );
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
      observed.add(kindOf(name), name, 'resets before reading', service.connections(), failure);

      // The client cannot know that nothing was read, so it is as careful as if all had been.
      expect(service.connections()).toBe(name in repeatable ? 3 : 1);
      expect(failure).toBeInstanceOf(ConnectionError);
      expect(failure).toMatchObject({ outcome: 'unknown' });
    });
  });

  describe('a service that is not there', () => {
    test.for(calls)('%s is attempted three times, for nothing was sent', async ([name, call]) => {
      const failure = await rejection(call(client({ baseUrl: await deserted() }, { clock: eagerClock() })));
      observed.add(kindOf(name), name, 'is not there', 0, failure);

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

  test.for(Object.entries(once))(
    '%s is one request when the service fails after accepting',
    async ([, call]) => {
      const service = await startService(faults.reset);
      await rejection(call(client(service, { clock: eagerClock() }), { retries: 10 }));

      expect(service.requests).toHaveLength(1);
    },
  );

  test('the guide shows what was observed', async ({ skip }) => {
    skip(observed.size < calls.length * faultCount, 'not every test of the matrix has run');

    await expect(guideOf(observed)).toMatchFileSnapshot(repositoryFile('docs/guides/requests-by-fault.md'));
  });
}

function guideOf(observed: FaultTable): string {
  return `# Requests by fault

This page shows how many requests reach the service for each kind of failure. The tests observe every operation and compare
this page with the result. \`npm run test:faults\` prints the table, and \`npm run test:faults -- -u\` writes this page. The
outcomes, and what to do about each, are in [Retries and outcomes](retries.md).

\`repeatable\` are the operations for which a second request does no harm. The other operations are in the row \`once\`:
${Object.keys(once)
  .map((name) => `\`${name}\``)
  .join(', ')}.

\`\`\`text
${observed}
\`\`\`

With \`retries: 0\` each call makes at most one request. If the response to a \`delete\` is lost and the retry gets a 404, the
deletion has succeeded, and the call resolves.

Next: [Retries and outcomes](retries.md), [Errors](errors.md), [Simulate failures](simulate-failures.md).
`;
}
