import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Delivery } from '../../accounting/evidence.js';
import { attempt, body, delivered, secret, start } from '../../accounting/histories.js';
import { accountForPosts, type Incident, type Post } from './posts.js';

const digest = createHash('sha256').update(body).digest('hex');
const { signature } = attempt(1, start);

/** Refused at first, and acknowledged ten seconds later. */
const delivery: Delivery = {
  ...delivered,
  attempts: [
    attempt(1, start, { status: 500, error: 'refused', machineTime: start, duration: 3 }),
    attempt(2, start + 10_000, { machineTime: start + 10_000, duration: 3 }),
  ],
};
const refused = post({ at: start + 1 });
const acknowledged = post({ at: start + 10_001, acknowledged: true, replica: 1 });

function post(rest: Partial<Post>): Post {
  const at = rest.at ?? start;
  return {
    at,
    until: at + 2,
    path: '/r1/t1',
    signature,
    digest,
    replica: 0,
    acknowledged: false,
    ...rest,
  };
}

function killed(replica: number, at: number): Incident {
  return { kind: 'kill', replica, from: at, until: at + 10 };
}

const account = (posts: readonly Post[], incidents: readonly Incident[] = [], of: Delivery = delivery) =>
  accountForPosts([{ delivery: of, secret }], posts, incidents);

test('a POST for each attempt on record adds up', () => {
  expect(account([refused, acknowledged])).toMatchObject({
    problems: [],
    posts: 2,
    recorded: 2,
    moreThanThree: 0,
  });
});

test('a POST that is on no record is a problem where nothing disrupted its replica', () => {
  const again = post({ at: start + 10_050, acknowledged: true, replica: 2 });

  expect(account([refused, acknowledged, again]).problems).toEqual([
    expect.stringMatching(
      /^a POST of the delivery delivery_1 by replica 3 .* nothing disrupted that replica$/,
    ),
  ]);
  expect(account([refused, acknowledged, again], [killed(0, start + 10_050)]).problems).toHaveLength(1);
});

test('a POST of a process that died in the middle of it is counted instead', () => {
  const again = post({ at: start + 5_000, replica: 2 });
  const told = account([refused, acknowledged, again], [killed(2, start + 5_001)]);

  expect(told.problems).toEqual([]);
  expect(told.interrupted).toEqual(new Map([['kill', 1]]));
});

test('the POSTs beyond the third of a delivery are counted', () => {
  const others = [2_000, 3_000].map((later) => post({ at: start + later, replica: 2 }));
  const told = account([refused, acknowledged, ...others], [killed(2, start + 3_001)]);

  expect(told).toMatchObject({ problems: [], moreThanThree: 1, interrupted: new Map([['kill', 2]]) });
});

test.each<[string, readonly Post[], RegExp]>([
  [
    'an answer of which nobody saw the question',
    [refused],
    /attempt 2 .* its receiver has seen none: invented/,
  ],
  ['other bytes', [refused, acknowledged, post({ digest: 'ff' })], /1 POSTs to \/r1\/t1 are of no delivery/],
  [
    'a signature of another secret',
    [refused, { ...acknowledged, signature: signature.replace(/./g, '0') }],
    /signature that does not verify/,
  ],
  [
    'an acknowledgement that nobody gave',
    [refused, { ...acknowledged, acknowledged: false }],
    /attempt 2 of delivery_1 counts as acknowledged, and nobody did/,
  ],
])('%s is a problem', (_, posts, problem) => {
  expect(account(posts).problems.join('\n')).toMatch(problem);
});

test('a delivery that failed though it was acknowledged is a problem, but where its replica stood still', () => {
  const failed: Delivery = {
    ...delivery,
    status: 'failed',
    attempts: [attempt(1, start, { error: 'no answer', machineTime: start, duration: 12_000 })],
  };
  const late = post({ at: start + 3, acknowledged: true });
  const stopped: Incident = { kind: 'stop', replica: 0, from: start + 4, until: start + 12_000 };

  expect(account([late], [], failed).problems).toEqual([
    expect.stringMatching(/delivery_1 failed, and its receiver acknowledged it/),
  ]);
  expect(account([late], [stopped], failed)).toMatchObject({ problems: [], acknowledgedInVain: 1 });
});
