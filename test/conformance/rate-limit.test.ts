import { expect, test } from 'vitest';
import { everySeventh, notHeld, reportOn, testLateRefusals, turnedAway } from './matrices.js';
import { deploy } from './support/deployment.js';
import type { ApiResponse } from './support/proxy.js';

test.each<[string, ApiResponse['headers'], number]>([
  ['Retry-After: 1', { 'retry-after': '1' }, 1_000],
  ['Retry-After: 0', { 'retry-after': '0' }, 100],
  ['no Retry-After', {}, 1_000],
])(
  'a 429 on every seventh response breaks no statement, with %s, and is reported',
  async (_, headers, wait) => {
    await using deployment = await deploy();
    const report = await reportOn(deployment, everySeventh(headers));
    const { checks, rateLimited, requests } = report;
    const responses = Math.floor(requests / 7);

    expect(notHeld(report)).toEqual([]);
    expect(rateLimited).toEqual({ responses, waited: responses * wait });
    expect(checks.find(({ statement }) => statement === 'A limit to the rate of requests')?.seen).toMatch(
      /^responses with 429: [1-9]\d, for which the check waited \d+\.\d s/,
    );
  },
);

test('a 429 whose Retry-After is a date is waited for until then', async () => {
  await using deployment = await deploy();
  let requests = 0;
  const report = await reportOn(deployment, {
    async api(request, service) {
      requests += 1;
      const then = new Date(deployment.server.clock.now() + 30_000).toUTCString();
      return requests === 10 ? turnedAway({ 'retry-after': then }) : service.ask(request);
    },
  });

  const { rateLimited } = report;
  expect(notHeld(report)).toEqual([]);
  expect(rateLimited.responses).toBe(1);
  expect(rateLimited.waited).toBeGreaterThan(28_000);
  expect(rateLimited.waited).toBeLessThanOrEqual(30_000);
});

testLateRefusals([0, 4]);

test('an endpoint that always responds with 429 leaves its statements unchecked, and the others are checked', async () => {
  await using deployment = await deploy();
  const { checks, totals, leftBehind } = await reportOn(deployment, {
    api: async (request, service) =>
      request.path === '/v1/events' ? turnedAway({ 'retry-after': '1' }) : service.ask(request),
  });

  expect(totals.broken).toBe(0);
  expect(totals.held).toBeGreaterThan(15);
  expect(leftBehind).toEqual([]);
  expect(
    checks.find(({ statement }) => statement === 'POST /v1/events: the contact is named by contactId'),
  ).toMatchObject({
    verdict: 'not_checked',
    seen: 'it needs a deployment that responds with something else than 429; it returned 429 6 times',
  });
});

test.each<[string, ApiResponse['headers'], number, number]>([
  ['a day', { 'retry-after': '86400' }, 0, 3],
  ['a second', { 'retry-after': '1' }, 3 * (1 + 1 + 1 + 1 + 1.6) * 1_000, 18],
])('429 without end is given up, whose Retry-After is %s', async (_, headers, waited, requests) => {
  await using deployment = await deploy();
  const report = await reportOn(deployment, { api: async () => turnedAway(headers) });

  expect(report.totals).toMatchObject({ held: 0, broken: 0 });
  expect(report.requests).toBe(requests);
  expect(report.rateLimited).toEqual({ responses: requests, waited: expect.closeTo(waited) });
});

test('a run that is ended during a wait ends at once, and removes what it made', async () => {
  await using deployment = await deploy();
  const controller = new AbortController();
  const { clock } = deployment.options;
  const run = reportOn(deployment, everySeventh({ 'retry-after': '59' }), {
    signal: controller.signal,
    clock: clock && {
      now: () => clock.now(),
      setTimer(callback, delay) {
        // The wait goes on for ever, but for the signal; those of the removal end.
        if (delay !== 59_000 || controller.signal.aborted) return clock.setTimer(callback, delay);
        controller.abort(new Error('enough'));
        return () => {};
      },
    },
  });

  await expect(run).rejects.toThrow('enough');
  expect((await deployment.server.snapshot()).contacts).toEqual([]);
});
