import { describe, expect, test } from 'vitest';
import { auditArrivals, auditClosedWorkspace, auditWorkspace } from './audit.js';
import { type Breakage, damaged } from './damage.js';
import type { ClosedEvidence, Evidence } from './evidence.js';
import {
  arrivals,
  attempt,
  call,
  delivered,
  delivering,
  ending,
  secret,
  sound,
  start,
  url,
} from './histories.js';

test('a history in which everything adds up has no problems', () => {
  expect(auditWorkspace(sound)).toEqual([]);
  expect(auditArrivals([sound], [], arrivals)).toEqual([]);
});

test.each<[Breakage, RegExp]>([
  ['lose-delivery', /message\.received message_1 .* lost/],
  ['duplicate-send', /the send t4 succeeded and has left 2 traces instead of 1: invented/],
  ['lose-event', /the event t3 succeeded and has left no trace: lost/],
])('--break %s is noticed', (breakage, problem) => {
  expect(auditWorkspace(damaged(sound, breakage)).join('\n')).toMatch(problem);
});

const phone = '+15550100000';
const failed = { status: 500, error: 'the receiver answered 500, not a 2xx' } as const;
const extra = (rest: Partial<Evidence>): Evidence => ({ ...sound, ...rest });

describe('what does not add up is told:', () => {
  test.each<[string, Evidence, RegExp]>([
    [
      'a delivery twice',
      ending({ deliveries: [delivered, { ...delivered, id: 'delivery_2' }] }),
      /2 of the message.*invented/,
    ],
    [
      'a delivery of a message that nobody sent',
      extra({ messages: [], calls: sound.calls.slice(0, 4) }),
      /1 of the message.*0 had a cause: invented/,
    ],
    ['a delivery that still waits', delivering({ status: 'pending', attempts: [] }), /waits for nothing/],
    [
      'a failure after two attempts',
      delivering({
        status: 'failed',
        attempts: [attempt(1, start, failed), attempt(2, start + 10_000, failed)],
      }),
      /given up before attempt 3/,
    ],
    ['a failure that was acknowledged', delivering({ status: 'failed' }), /it was acknowledged/],
    [
      'a delivery that nobody acknowledged',
      delivering({ attempts: [attempt(1, start, failed)] }),
      /nobody has acknowledged/,
    ],
    [
      'a fourth attempt',
      delivering({ attempts: [1, 2, 3, 4].map((number) => attempt(number, start, failed)) }),
      /more than 3 attempts/,
    ],
    [
      'an attempt after the acknowledged one',
      delivering({ attempts: [attempt(1, start), attempt(2, start + 10_000)] }),
      /attempt 1 was acknowledged, and another followed/,
    ],
    [
      'a cancelled delivery whose subscription is there',
      delivering({ status: 'cancelled', attempts: [] }),
      /nobody has deleted its subscription/,
    ],
    [
      'an early retry',
      delivering({ attempts: [attempt(1, start, failed), attempt(2, start + 9_999)] }),
      /attempt 2 came 1 ms early/,
    ],
    [
      'a late retry on a frozen clock',
      delivering({ attempts: [attempt(1, start, failed), attempt(2, start + 10_001)] }),
      /attempt 2 came 1 ms late/,
    ],
    [
      'a signature of other bytes',
      delivering({ attempts: [attempt(1, start, { signature: '00' })] }),
      /signature of attempt 1/,
    ],
    ['a lost subscription', ending({ subscriptions: [] }), /the subscription to .* lost/],
    [
      'a subscription that nobody made',
      ending({
        subscriptions: [
          ...sound.after.subscriptions,
          {
            id: 'webhook_2',
            managed: false,
            url: `${url}0`,
            events: [],
            secret,
            enabled: true,
            createdAt: start,
          },
        ],
      }),
      /webhook_2 is there and nobody made it/,
    ],
    [
      'a subscription that was deleted',
      extra({ calls: [...sound.calls, call({ kind: 'unsubscribe', subscriptionId: 'webhook_1' }, 20)] }),
      /webhook_1 was deleted and is still there/,
    ],
    [
      'a lost property',
      ending({ contacts: sound.after.contacts.map((contact) => ({ ...contact, properties: {} })) }),
      /the property t2 succeeded and has left no trace/,
    ],
    [
      'what a refused write has left',
      extra({
        calls: [
          ...sound.calls.slice(0, 1),
          call({ kind: 'write', phone, token: 't2' }, 3, 'rejected'),
          ...sound.calls.slice(2),
        ],
      }),
      /the property t2 ended as rejected and has left 1 traces/,
    ],
    [
      'what a send that was not sent has left',
      extra({
        calls: sound.calls.map((each) =>
          each.kind === 'send' ? { ...each, outcome: 'not_sent' as const } : each,
        ),
      }),
      /the send t4 ended as not_sent and has left 1 traces/,
    ],
    [
      'a contact that was deleted',
      extra({ calls: [...sound.calls, call({ kind: 'delete_contact', phone, contactId: 'contact_1' }, 20)] }),
      /contact_1 was deleted and is still there/,
    ],
    ['a lost send', ending({ sends: sound.after.sends.slice(1) }), /the send t4 .*lost/],
    [
      'a quota that was not spent',
      ending({ workspace: { ...sound.after.workspace, quota: 9 } }),
      /1 were taken off the plan quota, which paid for 2 sends/,
    ],
    [
      'a credit that paid for nothing',
      ending({ workspace: { ...sound.after.workspace, addOnCredits: 4 } }),
      /1 were taken off the add_on quota, which paid for 0/,
    ],
    [
      'a finished run that has not sent',
      ending({ sends: sound.after.sends.slice(0, 1) }),
      /run_1 of thanks is finished and has sent \[\]/,
    ],
    [
      'an event that was not processed',
      ending({ waitingEventIds: ['event_1'] }),
      /event_1 was never processed/,
    ],
    [
      'an event that started nothing',
      ending({ journeyRuns: [], sends: sound.after.sends.slice(0, 1) }),
      /event_1 has started 0 runs of thanks/,
    ],
    ['a run that nothing started', ending({ events: [] }), /a journey run that nothing started/],
    [
      'a segment that did not count',
      extra({ segmentMembers: { regulars: [] } }),
      /regulars has 0 members, and the events make 1/,
    ],
    ['a message that the journal does not know', extra({ messages: [] }), /the message message_1 .* lost/],
  ])('%s', (_, evidence, problem) => {
    expect(auditWorkspace(evidence).join('\n')).toMatch(problem);
  });
});

describe('what may be is not complained of:', () => {
  test.each<[string, Evidence]>([
    ['no delivery of a message while the subscription was made', delayedSubscription()],
    [
      'a cancelled delivery of a deleted subscription',
      {
        ...delivering({ status: 'cancelled', attempts: [attempt(1, start, failed)] }),
        after: {
          ...delivering({ status: 'cancelled', attempts: [attempt(1, start, failed)] }).after,
          subscriptions: [],
        },
        calls: [...sound.calls, call({ kind: 'unsubscribe', subscriptionId: 'webhook_1' }, 20)],
      },
    ],
    [
      'a late retry where faults hold attempts up',
      delivering({ attempts: [attempt(1, start, failed), attempt(2, start + 12_000)] }, { delayed: true }),
    ],
    [
      'a retry after a stall',
      delivering({
        attempts: [
          attempt(1, start, { error: 'no answer', faults: [{ kind: 'stall' }] }),
          attempt(2, start + 15_000),
        ],
      }),
    ],
    [
      'a trace of a call of unknown outcome',
      extra({
        calls: sound.calls.map((each) =>
          each.kind === 'send' ? { ...each, outcome: 'unknown' as const } : each,
        ),
      }),
    ],
    [
      'no trace of a call of unknown outcome',
      {
        ...ending({ sends: sound.after.sends.slice(1), workspace: { ...sound.after.workspace, quota: 9 } }),
        calls: sound.calls.map((each) =>
          each.kind === 'send' ? { ...each, outcome: 'unknown' as const } : each,
        ),
      },
    ],
    [
      'nothing of a contact that was deleted',
      {
        ...ending({ contacts: [], events: [], journeyRuns: [] }),
        segmentMembers: { regulars: [] },
        calls: [...sound.calls, call({ kind: 'delete_contact', phone, contactId: 'contact_1' }, 20)],
      },
    ],
  ])('%s', (_, evidence) => {
    expect(auditWorkspace(evidence)).toEqual([]);
  });

  function delayedSubscription(): Evidence {
    const [subscribe, ...others] = sound.calls;
    return {
      ...ending({ deliveries: [] }),
      calls: subscribe === undefined ? [] : [{ ...subscribe, to: 9.5 }, ...others],
    };
  }
});

describe('what receivers wrote down is held against what was sent:', () => {
  const [first, second] = arrivals;
  test.each<[string, Evidence, typeof arrivals, RegExp]>([
    [
      'nothing of an answered attempt',
      sound,
      arrivals.slice(1),
      /reached its receiver 1 times, at least 2 were answered: lost/,
    ],
    [
      'an acknowledgement that nobody gave',
      sound,
      [first, first].flatMap((each) => each ?? []),
      /acknowledged 0 and not 1/,
    ],
    [
      'a request that nobody sent',
      sound,
      [...arrivals, second].flatMap((each) => each ?? []),
      /3 times, at most 2 were sent: invented/,
    ],
    [
      'other bytes',
      sound,
      [...arrivals, { ...first, digest: 'ff' }].flatMap((each) =>
        'path' in each ? { path: '/r1/t1', signature: '', acknowledged: true, ...each } : [],
      ),
      /1 requests to \/r1\/t1 are of no delivery/,
    ],
    [
      'a redirect that was followed',
      sound,
      [...arrivals, { path: '/elsewhere', signature: '', digest: '', acknowledged: true }],
      /requests to \/elsewhere are of no delivery/,
    ],
  ])('%s', (_, evidence, written, problem) => {
    expect(auditArrivals([evidence], [], written).join('\n')).toMatch(problem);
  });

  test('a receiver has twice what was answered once, where an answer was lost', () => {
    const broken = attempt(1, start, { error: 'no answer came: ECONNRESET' });
    const { status: _, ...unanswered } = broken;
    const evidence = delivering({ attempts: [unanswered, attempt(2, start + 10_000)] });

    expect(auditArrivals([evidence], [], arrivals)).toEqual([]);
    expect(auditArrivals([evidence], [], arrivals.slice(1))).toEqual([]);
  });

  test('a copy answers for the attempts of its own alone', () => {
    const copy: Evidence = { ...sound, before: sound.after };

    expect(auditArrivals([sound, copy], [], arrivals)).toEqual([]);
  });
});

describe('a workspace that was closed with work under way', () => {
  const closed: ClosedEvidence = {
    name: 'a closed workspace',
    calls: sound.calls,
    messages: sound.messages,
    deliveries: [{ ...delivered, status: 'pending', attempts: delivered.attempts.slice(0, 1) }],
    sends: sound.after.sends,
    events: sound.after.events,
    attemptsAtClose: 1,
    attemptsAtEnd: 1,
  };

  test('may leave deliveries that wait', () => {
    expect(auditClosedWorkspace(closed)).toEqual([]);
  });

  test.each<[string, Partial<ClosedEvidence>, RegExp]>([
    ['makes no more attempts', { attemptsAtEnd: 2 }, /1 attempts were made after it was closed/],
    ['has lost no send', { sends: [] }, /the send t4 .* lost/],
    ['has lost no event', { events: [] }, /the event t3 .* lost/],
    ['has invented no delivery', { deliveries: [delivered, { ...delivered, id: 'delivery_2' }] }, /invented/],
  ])('%s', (_, change, problem) => {
    expect(auditClosedWorkspace({ ...closed, ...change }).join('\n')).toMatch(problem);
  });
});
