import { describe, expect, test } from 'vitest';
import { describeStory, type StorySetting } from '../../../src/workbench/reading/describe-story.js';
import type {
  AttemptRecord,
  DeliverySnapshot,
  EntryJson,
  JourneyRunRecord,
} from '../../../src/workbench/surface/entry.js';
import { ada, attemptOf, deliveryOf, messageOf, runOf } from '../entries.js';

const morning = Date.parse('2026-11-25T06:57:54Z');
const day = 86_400_000;

const journeys: StorySetting['journeys'] = [
  {
    id: 'follow_up',
    event: 'order_placed',
    steps: [
      { send: 'order_update', variables: {} },
      { wait: '2d' },
      { branch: { property: 'plan', exists: true }, do: [{ send: 'how_was_it', variables: {} }] },
      { wait: '7d' },
      { send: 'come_back', variables: {} },
    ],
  },
];

const around: StorySetting = {
  journeys,
  now: () => morning,
  asItIs: (delivery) => delivery,
  isDeleted: () => false,
};

const request: EntryJson = {
  type: 'request',
  number: 9,
  at: morning,
  requestId: 'request_1',
  operation: 'events.track',
  method: 'POST',
  path: '/api/v1/events',
  status: 202,
};

const event: EntryJson = {
  type: 'event',
  number: 1,
  at: morning,
  event: {
    id: 'event_1',
    contactId: ada.contactId,
    event: 'order_placed',
    properties: { orderId: 'A-1', count: 2 },
    acceptedAt: morning,
  },
  phone: ada.phone,
  requestId: 'request_1',
};

function step(
  number: number,
  days: number,
  position: number,
  more: Partial<JourneyRunRecord> = {},
): EntryJson {
  const at = morning + days * day;
  const run = runOf({ journeyId: 'follow_up', startedAt: morning, position, dueAt: at, ...more });
  return { type: 'journey', number, at, run };
}

function sendOf(number: number, days: number, templateId: string): EntryJson {
  const at = morning + days * day;
  const send = {
    id: `send_${number}`,
    status: 'sent',
    templateId,
    variables: {},
    text: `The text of ${templateId}`,
    paidBy: 'plan',
    journeyRunId: 'run_1',
    sentAt: at,
  } as const;
  return { type: 'send', number, at, send: { ...send, ...ada } };
}

const begun = [request, event, step(2, 0, 0), sendOf(3, 0, 'order_update'), step(4, 0, 1)] as const;
const waiting = [...begun, step(5, 0, 2, { dueAt: morning + 2 * day })] as const;
const leftOut = [...waiting, step(6, 2, 4), step(7, 2, 5, { dueAt: morning + 9 * day })] as const;
const taken = [
  ...waiting,
  step(6, 2, 3),
  sendOf(7, 2, 'how_was_it'),
  step(8, 2, 4),
  step(10, 2, 5, { dueAt: morning + 9 * day }),
] as const;

describe('the story of a run', () => {
  test('says how it began, what was sent, and until when it waits', () => {
    expect(describeStory(waiting, around)).toMatchObject({
      title: 'order_placed',
      newest: 'order_update sent',
      detail: '“The text of order_update”',
      request: 'POST /v1/events',
      outcome: 'until Fri 27 Nov 06:57',
      tone: 'wait',
      subject: event,
    });
  });

  test('says what was not sent, and why', () => {
    expect(describeStory(leftOut, around)).toMatchObject({
      newest: 'how_was_it not sent',
      detail: 'if plan is set: no',
      outcome: 'until Fri 4 Dec 06:57',
    });
    expect(describeStory(taken, around)).toMatchObject({ newest: 'how_was_it sent' });
  });

  test('has its end: finished, failed with the reason, or that its contact was deleted', () => {
    const finished = step(11, 9, 6, { status: 'finished' });
    const last = sendOf(10, 9, 'come_back');
    expect(describeStory([...leftOut, last, finished], around)).toMatchObject({
      newest: 'come_back sent',
      outcome: 'finished',
      tone: 'ok',
      opens: last,
    });
    const failed = step(11, 9, 5, { status: 'failed', error: 'The template is paused.' });
    expect(describeStory([...leftOut, failed], around)).toMatchObject({
      newest: 'follow_up failed',
      detail: 'The template is paused.',
      outcome: 'failed',
      tone: 'bad',
      opens: failed,
    });
    const deleted = describeStory(leftOut, { ...around, isDeleted: (id) => id === ada.contactId });
    expect(deleted).toMatchObject({ outcome: 'contact deleted', tone: 'plain' });
  });

  test('with several runs, has the worst end, or the first that waits', () => {
    const other = { id: 'run_2', journeyId: 'other' };
    const ended = step(11, 0, 1, { ...other, status: 'finished' });
    expect(describeStory([...waiting, ended], around).outcome).toBe('until Fri 27 Nov 06:57');
    const later = step(11, 0, 1, { ...other, dueAt: morning + 5 * day });
    expect(describeStory([...waiting, later], around).outcome).toBe('until Fri 27 Nov 06:57');
    const failed = step(12, 0, 1, { ...other, status: 'failed', error: 'No.' });
    expect(describeStory([...waiting, failed], around)).toMatchObject({ outcome: 'failed', opens: failed });
  });

  test('has its steps in order, and none that another tells', () => {
    const { steps } = describeStory(taken, around);
    expect(steps.map(({ title, detail, outcome }) => [title, detail, outcome])).toEqual([
      ['POST /v1/events', '', '202'],
      ['order_placed', 'orderId A-1, count 2', 'tracked'],
      ['follow_up begins', '', 'began'],
      ['order_update', '“The text of order_update”', 'sent'],
      ['wait 2 d', 'until Fri 27 Nov 06:57:54', ''],
      ['if plan is set: yes', '', ''],
      ['how_was_it', '“The text of how_was_it”', 'sent'],
      ['wait 7 d', 'until Fri 4 Dec 06:57:54', ''],
    ]);
    const left = describeStory(leftOut, around).steps.at(-2);
    expect([left?.title, left?.detail]).toEqual(['if plan is set: no', 'how_was_it not sent']);
  });

  test('goes without a journey that is not known', () => {
    const unknown = describeStory(leftOut, { ...around, journeys: undefined });
    expect(unknown).toMatchObject({ newest: 'order_update sent', outcome: 'until Fri 4 Dec 06:57' });
    expect(describeStory([step(5, 0, 1)], around)).toMatchObject({ title: 'follow_up' });
  });
});

/** A message of Ada with the attempts of its deliveries: at which minute, and with which error. */
function delivered(
  ...deliveries: readonly (Partial<DeliverySnapshot> & { readonly made: readonly (string | undefined)[] })[]
): readonly [EntryJson, ...EntryJson[]] {
  const attempts = deliveries.flatMap(({ made, ...fields }) => {
    const all = made.map((error, index): AttemptRecord => {
      const startedAt = morning + index * 60_000;
      return { number: index + 1, startedAt, signature: 'aa', ...(error !== undefined && { error }) };
    });
    return all.map((_, index) => {
      const delivery = deliveryOf('message_1', { createdAt: morning, ...fields, attempts: all });
      return attemptOf(index + 2, delivery, made[index]);
    });
  });
  return [messageOf(1, { body: 'Where is it?', at: morning }), ...attempts];
}

describe('the story of a message', () => {
  test('says where it went, and that it arrived', () => {
    expect(describeStory(delivered({ made: [undefined] }), around)).toMatchObject({
      title: '“Where is it?”',
      newest: undefined,
      detail: 'to localhost:3000/webhooks',
      outcome: 'delivered',
      tone: 'ok',
    });
  });

  test('is one row with its retries', () => {
    const once = delivered({ made: ['refused', undefined] });
    expect(describeStory(once, around)).toMatchObject({
      detail: 'to localhost:3000/webhooks, failed, retried 06:58, delivered',
      outcome: 'delivered',
    });
    const twice = delivered({ made: ['refused', 'refused', undefined] });
    expect(describeStory(twice, around).detail).toContain('failed 2 times, retried 06:59, delivered');
  });

  test('says why it failed, and opens the last attempt', () => {
    const failed = delivered({ made: ['refused', 'no response'], status: 'failed' });
    expect(describeStory(failed, around)).toMatchObject({
      detail: 'to localhost:3000/webhooks, failed 2 times, no response',
      outcome: 'failed',
      tone: 'bad',
      opens: failed[2],
    });
  });

  test('says that it was sent again, which mends what failed', () => {
    const again = { id: 'again', redeliveryOf: 'delivery of message_1', made: [undefined] };
    const story = delivered({ made: ['refused'], status: 'failed' }, again);
    expect(describeStory(story, around)).toMatchObject({
      detail: 'to localhost:3000/webhooks, failed, sent again 06:57, delivered',
      outcome: 'delivered',
      tone: 'ok',
    });
    const third = { id: 'third', redeliveryOf: 'again', made: [undefined] };
    const chain = delivered({ made: ['refused'], status: 'failed' }, { ...again, status: 'failed' }, third);
    expect(describeStory(chain, around).outcome).toBe('delivered');
  });

  test('counts what arrived where several receive it, and shows the worst', () => {
    const story = delivered(
      { made: [undefined] },
      { id: 'other', url: 'https://example.com/other', made: ['refused'], status: 'failed' },
    );
    expect(describeStory(story, around)).toMatchObject({
      detail: 'to localhost:3000/webhooks, delivered · to example.com/other, failed, refused',
      outcome: '1 of 2 delivered',
      tone: 'bad',
      opens: story[2],
    });
  });

  test('is cancelled where its delivery is, and never delivering for ever', () => {
    const story = delivered({ made: ['refused'], status: 'pending', dueAt: morning + 60_000 });
    expect(describeStory(story, around)).toMatchObject({ outcome: 'retry in 1 m', tone: 'wait' });
    const asItIs = (delivery: DeliverySnapshot): DeliverySnapshot => ({ ...delivery, status: 'cancelled' });
    expect(describeStory(story, { ...around, asItIs })).toMatchObject({
      outcome: 'cancelled',
      tone: 'plain',
    });
  });

  test('says a change of consent', () => {
    const stop = messageOf(1, { body: 'STOP', consent: 'opted_out' });
    expect(describeStory([stop], around)).toMatchObject({ title: '“STOP”', outcome: 'opted out' });
    const [, attempt] = delivered({ made: [undefined] });
    expect(describeStory(attempt ? [stop, attempt] : [stop], around).newest).toBe('opted out');
  });
});

test('the story of a refused request says why, also with the fault that broke it', () => {
  const error = JSON.stringify({ error: { message: 'The phone is wrong.' } });
  const refused: EntryJson = { ...request, number: 1, status: 400, responseBody: error };
  const fault: EntryJson = {
    type: 'fault',
    number: 2,
    at: morning,
    fault: { kind: 'stall' },
    operation: 'events.track',
    requestId: 'request_1',
  };
  expect(describeStory([refused, fault], around)).toMatchObject({
    title: 'POST /v1/events',
    detail: 'The phone is wrong.',
    outcome: '400',
    tone: 'bad',
    opens: refused,
  });
});
