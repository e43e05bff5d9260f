import { expect, test } from 'vitest';
import { auditWorkspace } from './audit.js';
import type { Evidence } from './evidence.js';
import { attempt, call, delivering, ending, sound, start } from './histories.js';

test('a history in which everything adds up has no problems', () => {
  expect(auditWorkspace(sound)).toEqual([]);
});

const phone = '+15550100000';
const failed = { status: 500, error: 'the receiver answered 500, not a 2xx' } as const;
const extra = (rest: Partial<Evidence>): Evidence => ({ ...sound, ...rest });
const alsoCalled = (deed: Parameters<typeof call>[0]) => extra({ calls: [...sound.calls, call(deed, 20)] });
const rejectedSend = extra({
  calls: sound.calls.map((each) => (each.kind === 'send' ? { ...each, outcome: 'rejected' } : each)),
});
/** The delivery with attempts so many milliseconds after its first, which all failed unless the last one is acknowledged. */
const attemptedAt = (offsets: readonly number[], last: object = {}) =>
  delivering({
    attempts: offsets.map((offset, index) =>
      attempt(index + 1, start + offset, index === offsets.length - 1 ? last : failed),
    ),
  });
const ended = sound.after;
const sentTwice = ending({
  sends: ended.sends.flatMap((send) => [send, { ...send, id: `${send.id}_again` }]),
});
const spent = (quota: object) => ending({ workspace: { ...ended.workspace, ...quota } });
test.each<[string, Evidence, RegExp]>([
  [
    'a delivery of a message that nobody sent',
    extra({ messages: [], calls: sound.calls.slice(0, 4) }),
    /1 of the message.*0 had a cause: invented/,
  ],
  ['a delivery that is gone', ending({ deliveries: [] }), /message\.received message_1 .* lost/],
  ['a send that is there twice', sentTwice, /the send t4 succeeded and has left 2 traces instead of 1/],
  ['an event that is gone', ending({ events: [] }), /the event t3 succeeded and has left no trace: lost/],
  ['a pending delivery', delivering({ status: 'pending', attempts: [] }), /waits for nothing/],
  [
    'a failure after two attempts',
    delivering({ ...attemptedAt([0, 10_000], failed).after.deliveries[0], status: 'failed' }),
    /given up before attempt 3/,
  ],
  ['a failure that was acknowledged', delivering({ status: 'failed' }), /it was acknowledged/],
  ['a delivery without acknowledgement', attemptedAt([0], failed), /nobody has acknowledged/],
  [
    'an attempt under another number',
    delivering({ attempts: [attempt(1, start, failed), attempt(3, start + 10_000)] }),
    /attempt 2 counts as 3/,
  ],
  ['a fourth attempt', attemptedAt([0, 0, 0, 0], failed), /more than 3 attempts/],
  [
    'an attempt after the acknowledged one',
    delivering({ attempts: [attempt(1, start), attempt(2, start + 10_000)] }),
    /attempt 1 was acknowledged, and another followed/,
  ],
  [
    'a cancelled delivery of a subscription',
    delivering({ status: 'cancelled', attempts: [] }),
    /nobody has deleted its subscription/,
  ],
  ['an early retry', attemptedAt([0, 9_999]), /attempt 2 came 1 ms early/],
  ['a late retry on a frozen clock', attemptedAt([0, 10_001]), /attempt 2 came 1 ms late/],
  ['a signature of other bytes', attemptedAt([0], { signature: '00' }), /signature of attempt 1/],
  [
    'a subscription that nobody made',
    extra({ calls: sound.calls.slice(1) }),
    /the subscription to .* is there and no call made it/,
  ],
  [
    'a deleted subscription',
    alsoCalled({ kind: 'unsubscribe', subscriptionId: 'webhook_1' }),
    /webhook_1 was deleted and is still there/,
  ],
  ['a rejected send', rejectedSend, /the send t4 ended as rejected and has left 1 traces/],
  [
    'a deleted contact',
    alsoCalled({ kind: 'delete_contact', phone, contactId: 'contact_1' }),
    /contact_1 was deleted and is still there/,
  ],
  [
    'quota that was not spent',
    spent({ quota: 9 }),
    /1 were taken off the plan quota, which paid for 2 sends/,
  ],
  [
    'a finished run without its send',
    ending({ sends: ended.sends.slice(0, 1) }),
    /run_1 of thanks is finished and has sent \[\]/,
  ],
  ['a waiting event', ending({ waitingEventIds: ['event_1'] }), /event_1 was never processed/],
  [
    'an event without its run',
    ending({ journeyRuns: [], sends: ended.sends.slice(0, 1) }),
    /event_1 has started 0 runs of thanks/,
  ],
  ['a run that nothing started', ending({ events: [] }), /a journey run that nothing started/],
  [
    'a segment without its member',
    extra({ segmentMembers: { regulars: [] } }),
    /regulars has 0 members.* make 1/,
  ],
  ['a message that the journal does not have', extra({ messages: [] }), /the message message_1 .* lost/],
])('the audit reports %s', (_, evidence, problem) => {
  expect(auditWorkspace(evidence).join('\n')).toMatch(problem);
});
