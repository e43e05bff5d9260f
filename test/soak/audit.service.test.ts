import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { auditWorkspace, sentBy } from './accounting/audit.js';
import type { Delivery, Evidence } from './accounting/evidence.js';
import { accountForPosts, type Post } from './accounting/posts.js';
import { type Round, soakInMemory } from './in-memory.js';
import { Tally } from './report.js';

// A real round, in which everything adds up, and what the accounts say after one thing in it was changed.

let round: Round = { evidence: [], posts: [] };

beforeAll(async () => {
  // How much happens in a second depends on the machine: another round if nothing went undisturbed.
  for (let seed = 3; seed < 13 && undisturbedPost(round) === -1; seed += 1) {
    const options = { seed, duration: 1, tally: new Tally(), onProgress() {} };
    await soakInMemory(options, (played) => {
      round = played;
    });
  }
  expect(round.evidence.flatMap(auditWorkspace)).toEqual([]);
});

/** The share of these changes that the audit reports. */
function reported(changes: (evidence: Evidence) => readonly Evidence[]): number {
  const audited = round.evidence.flatMap(changes).map((changed) => auditWorkspace(changed).length > 0);
  expect(audited.length).toBeGreaterThan(0);
  return audited.filter(Boolean).length / audited.length;
}

const ending = (evidence: Evidence, change: Partial<Evidence['after']>): Evidence => ({
  ...evidence,
  after: { ...evidence.after, ...change },
});

test.each(['contacts', 'events', 'sends', 'journeyRuns', 'subscriptions', 'deliveries'] as const)(
  'the audit reports one of the %s that is lost, and one that is there twice',
  (list) => {
    const recordsOf = ({ after }: Evidence): readonly unknown[] => after[list];
    // A call of unknown outcome, or a deletion, may explain that a record is not there.
    const lost = reported((evidence) =>
      recordsOf(evidence).map((_, index) =>
        ending(evidence, { [list]: recordsOf(evidence).toSpliced(index, 1) }),
      ),
    );
    expect(lost).toBeGreaterThan(0.75);
    const twice = reported((evidence) =>
      recordsOf(evidence).map((record) => ending(evidence, { [list]: [...recordsOf(evidence), record] })),
    );
    expect(twice).toBe(1);
  },
);

const attempted = (change: (delivery: Delivery) => Delivery) => (evidence: Evidence) =>
  evidence.after.deliveries.flatMap((delivery, index) =>
    delivery.attempts.length < 2
      ? []
      : [ending(evidence, { deliveries: evidence.after.deliveries.with(index, change(delivery)) })],
  );
const lastAttempt = (change: (attempt: Delivery['attempts'][number]) => object) =>
  attempted((delivery) => ({
    ...delivery,
    attempts: delivery.attempts.map((attempt, index) =>
      index === delivery.attempts.length - 1 ? { ...attempt, ...change(attempt) } : attempt,
    ),
  }));

test.each<[string, (evidence: Evidence) => readonly Evidence[]]>([
  ['a delivery that waits for ever', attempted((delivery) => ({ ...delivery, status: 'pending' }))],
  ['a fourth attempt', attempted((one) => ({ ...one, attempts: [0, 1].flatMap(() => one.attempts) }))],
  ['an attempt under another number', lastAttempt(({ number }) => ({ number: number + 1 }))],
  ['an early retry', lastAttempt(({ startedAt }) => ({ startedAt: startedAt - 90_000 }))],
  ['a late retry', lastAttempt(({ startedAt }) => ({ startedAt: startedAt + 90_000 }))],
  ['an event whose text changed', (one) => one.after.events.map((_, index) => withoutText(one, index))],
  ['quota that was spent twice', (one) => [spent(one, -1)]],
  ['quota that was not spent', (one) => [spent(one, 1)]],
  ['an event that waits', (one) => [ending(one, { waitingEventIds: ['event_1'] })]],
  ['a signature of other bytes', lastAttempt(() => ({ signature: '00' }))],
  ['a segment without its members', (one) => [{ ...one, segmentMembers: { regulars: ['nobody'] } }]],
  ['a call that nobody made', (one) => one.calls.map((_, index) => withoutCall(one, index))],
])('the audit reports %s', (_, changes) => {
  // Some calls leave no trace, some attempts were altered by a fault, and some workspaces may be late.
  expect(reported(changes)).toBeGreaterThan(0.25);
});

/** The index of the one POST of a delivery of one attempt, which nothing disturbed. -1 if there is none. */
function undisturbedPost({ evidence, posts }: Round): number {
  const digestsOfPath = new Map<string, string>();
  for (const { delivery } of evidence.flatMap(sentBy)) {
    const { attempts, status, url, body } = delivery;
    if (status === 'delivered' && attempts.length === 1 && attempts[0]?.faults === undefined)
      digestsOfPath.set(new URL(url).pathname, createHash('sha256').update(body).digest('hex'));
  }
  const alike = (one: Post) => posts.filter(({ path, digest }) => path === one.path && digest === one.digest);
  return posts.findIndex(
    (one) => one.acknowledged && digestsOfPath.get(one.path) === one.digest && alike(one).length === 1,
  );
}

function spent(evidence: Evidence, difference: number): Evidence {
  const { workspace } = evidence.after;
  return ending(evidence, { workspace: { ...workspace, quota: workspace.quota + difference } });
}

function withoutText({ after, ...evidence }: Evidence, index: number): Evidence {
  const events = after.events.map((event, place) =>
    place === index ? { ...event, properties: { ...event.properties, note: 'another' } } : event,
  );
  return { ...evidence, after: { ...after, events } };
}

function withoutCall(evidence: Evidence, index: number): Evidence {
  return { ...evidence, calls: evidence.calls.toSpliced(index, 1) };
}

test('the account of POSTs reports one that is lost, one of other bytes, and one that no attempt made', () => {
  const account = (posts: readonly Post[]) =>
    accountForPosts(round.evidence.flatMap(sentBy), posts, []).problems.join('\n');
  const { posts } = round;
  const index = undisturbedPost(round);
  const post = posts[index];
  if (post === undefined) throw new Error('Every delivery was disturbed.');
  const first = account(posts);

  expect(account(posts.toSpliced(index, 1)).replace(first, '')).toMatch(/its receiver has seen none: lost/);
  expect(account([...posts, { ...post, path: '/elsewhere' }])).toMatch(/POSTs to \/elsewhere are of no/);
  expect(account(posts.with(index, { ...post, acknowledged: false }))).toMatch(/its receiver acknowledged 0/);
  expect(account([...posts, post, post])).toMatch(/is on no record, and nothing disrupted/);
  const cut = { ...post, at: post.at - 1, acknowledged: false, cut: true };
  expect(account(posts.toSpliced(index, 0, cut))).toBe(first);
  const from = { from: post.at, until: post.at + 1 };
  const disrupted = accountForPosts(
    round.evidence.flatMap(sentBy),
    [...posts, post, post],
    [{ kind: 'kill', replica: post.replica, ...from }],
  );
  expect(disrupted.interrupted.get('kill')).toBeGreaterThan(0);
});

test('the account of POSTs counts those of deliveries that a restore has undone', () => {
  const { posts } = round;
  const [post] = posts;
  if (post === undefined) throw new Error('There was no POST.');
  const undone = { ...post, path: '/undone' };
  const restored = { kind: 'restore backup', replica: undefined } as const;
  const account = (from: number, until: number) =>
    accountForPosts(round.evidence.flatMap(sentBy), [undone], [{ ...restored, from, until }]);

  const during = account(post.at - 1_000, post.at + 1_000);
  expect(during.interrupted.get('restore backup')).toBe(1);
  expect(during.problems.join('\n')).not.toContain('/undone');
  expect(account(post.at - 60_000, post.at - 30_000).problems.join('\n')).toContain(
    'POSTs to /undone are of no',
  );
});
