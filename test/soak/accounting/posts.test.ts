import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Attempt, Delivery } from './evidence.js';
import { attempt, body, delivered, secret, start } from './histories.js';
import { accountForPosts, type Incident, type Post } from './posts.js';

const digest = createHash('sha256').update(body).digest('hex');
const { signature } = attempt(1, start);
const refusal = { status: 500, error: 'refused', machineTime: start, duration: 3 } as const;
const second = attempt(2, start + 10_000, { machineTime: start + 10_000, duration: 3 });

/** Refused at first, and acknowledged ten seconds later. */
const delivery: Delivery = { ...delivered, attempts: [attempt(1, start, refusal), second] };
const refused = post({ at: start + 1 });
const acknowledged = post({ at: start + 10_001, acknowledged: true, replica: 1 });
const again = post({ at: start + 5_000, replica: 2 });

function post(rest: Partial<Post>): Post {
  const at = rest.at ?? start;
  const known = { path: '/r1/t1', signature, digest, replica: 0, acknowledged: false };
  return { at, until: at + 2, ...known, ...rest };
}

function killed(replica: number, at: number): Incident {
  return { kind: 'kill', replica, from: at, until: at + 10 };
}

const account = (posts: readonly Post[], incidents?: readonly Incident[], of: Delivery = delivery) =>
  accountForPosts([{ delivery: of, secret }], posts, incidents);
const failedAs = (change: Partial<Attempt>): Delivery => ({
  ...delivery,
  status: 'failed',
  attempts: [attempt(1, start, { ...refusal, ...change })],
});

test('a POST that is on no record is a problem unless its own replica was disrupted', () => {
  const posts = [refused, acknowledged, again];
  const problem = /^a POST of the delivery delivery_1 by replica 3 .* nothing disrupted that replica/;

  expect(account(posts).problems).toEqual([expect.stringMatching(problem)]);
  expect(account(posts, [killed(0, start + 5_000)]).problems).toEqual([expect.stringMatching(problem)]);
  expect(account(posts, [killed(2, start + 5_001)])).toMatchObject({
    problems: [],
    interrupted: new Map([['kill', 1]]),
  });
  const fourth = account([...posts, post({ at: start + 3_000, replica: 2 })], [killed(2, start + 5_001)]);
  expect(fourth).toMatchObject({ interrupted: new Map([['kill', 2]]) });
});

test.each<[string, readonly Post[], RegExp]>([
  ['an answered attempt without a POST', [refused], /attempt 2 .* its receiver has seen none: lost/],
  ['other bytes', [refused, acknowledged, post({ digest: 'ff' })], /1 POSTs to \/r1\/t1 are of no delivery/],
  [
    'a signature of another secret',
    [refused, { ...acknowledged, signature: signature.replace(/./g, '0') }],
    /of no delivery with its signature/,
  ],
  [
    'a redirect that was followed',
    [refused, acknowledged, post({ path: '/elsewhere' })],
    /POSTs to \/elsewhere/,
  ],
  [
    'an acknowledgement that the receiver did not give',
    [refused, { ...acknowledged, acknowledged: false }],
    /1 attempts of delivery_1 count as acknowledged, and its receiver acknowledged 0/,
  ],
])('%s is a problem', (_, posts, problem) => {
  expect(account(posts).problems.join('\n')).toMatch(problem);
});

test.each<[string, Attempt['faults'], readonly Post[]]>([
  ['tampered with', [{ kind: 'tamper', part: 'body' }], [post({ digest: 'ff' })]],
  ['duplicated', [{ kind: 'duplicate' }], [refused, post({ at: start + 2 })]],
  ['reset after its receipt', [{ kind: 'reset', when: 'after_receipt' }], [refused]],
  ['reset before its receipt', [{ kind: 'reset', when: 'before_receipt' }], []],
])('the POSTs of an attempt that is %s add up, and one more does not', (_, faults, posts) => {
  const struck = failedAs({ ...(faults && { faults }) });

  expect(account(posts, undefined, struck).problems).toEqual([]);
  expect(account([...posts, again, again], undefined, struck).problems).not.toEqual([]);
});

test('a failed delivery that was acknowledged is a problem unless its replica stood still', () => {
  const failed = failedAs({ duration: 12_000 });
  const late = post({ at: start + 3, acknowledged: true });
  const stopped: Incident = { kind: 'stop', replica: 0, from: start + 4, until: start + 12_000 };

  expect(account([late], [], failed).problems).toEqual([
    expect.stringMatching(/delivery_1 failed, and its receiver acknowledged it/),
  ]);
  expect(account([late], [stopped], failed)).toMatchObject({ problems: [] });
});
