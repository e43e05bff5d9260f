import { describe, expect, test } from 'vitest';
import { Journal } from '../../../src/workbench/live/journal.js';
import { decisiveIn } from '../../../src/workbench/reading/describe-entry.js';
import type { Entry, EntryOf } from '../../../src/workbench/surface/entry.js';
import { ada, attemptOf, deliveryOf, messageOf, runOf } from '../entries.js';

const hour = 3_600_000;

function requestOf(number: number, requestId: string): Entry {
  return {
    type: 'request',
    number,
    at: number,
    requestId,
    operation: 'events.track',
    method: 'POST',
    path: '/api/v1/events',
    status: 202,
  };
}

function eventOf(number: number, fields: Partial<EntryOf<'event'>> = {}): Entry {
  const event = {
    id: 'event_1',
    contactId: ada.contactId,
    event: 'signed_up',
    properties: {},
    acceptedAt: number,
  };
  return { type: 'event', number, at: number, event, phone: ada.phone, ...fields };
}

function stepAt(number: number, at: number): Entry {
  return { type: 'journey', number, at, run: runOf({ position: number }) };
}

function sendOf(number: number, at: number): Entry {
  const send = {
    id: `send_${number}`,
    status: 'sent',
    templateId: 'welcome',
    variables: {},
    text: 'Hello',
    paidBy: 'plan',
    journeyRunId: 'run_1',
    sentAt: at,
  } as const;
  return { type: 'send', number, at, send: { ...send, ...ada } };
}

function faultOf(number: number, deliveryId: string): Entry {
  return {
    type: 'fault',
    number,
    at: number,
    fault: { kind: 'duplicate' },
    event: 'message.received',
    deliveryId,
  };
}

function told(...entries: readonly Entry[]) {
  const journal = new Journal();
  for (const entry of entries) journal.add(entry);
  const numbers = (rows: readonly Entry[]) => rows.map(({ number }) => number);
  return {
    chapters: () => [...new Set(entries.map((entry) => journal.stories.chapterOf(entry)))].map(numbers),
    storyOf: (entry: Entry) => numbers(journal.stories.of(entry)),
    rows: (open?: Entry) => numbers(journal.stories.rows(open)),
    journal,
  };
}

describe('stories', () => {
  test('a request leads what it did, although its entry follows', () => {
    const [event, step, request] = [
      eventOf(1, { requestId: 'request_1' }),
      stepAt(2, 2),
      requestOf(3, 'request_1'),
    ];
    const { chapters, rows } = told(event, step, request);
    expect(chapters()).toEqual([[3, 1, 2]]);
    expect(rows()).toEqual([3]);
    expect(rows(step)).toEqual([2, 1, 3]); // the newest first on the screen, so the last of the chapter comes first here
  });

  test('a chapter ends where an hour passes, and the story goes on', () => {
    const [event, step, other, send] = [eventOf(1), stepAt(2, 2), messageOf(3), sendOf(4, 2 * hour)];
    const { chapters, storyOf, rows } = told(event, step, other, send);
    expect(chapters()).toEqual([[1, 2], [3], [4]]);
    expect(storyOf(send)).toEqual([1, 2, 4]);
    expect(storyOf(event)).toEqual([1, 2, 4]);
    expect(rows(other)).toEqual([1, 3, 4]);
  });

  test('a fault in a delivery joins the message that the delivery belongs to', () => {
    const message = messageOf(1);
    const delivery = deliveryOf('message_1');
    const [fault, attempt] = [faultOf(2, delivery.id), attemptOf(4, delivery)];
    const { chapters, storyOf } = told(message, fault, messageOf(3), attempt);
    expect(chapters()).toEqual([[1, 2, 4], [3]]);
    expect(storyOf(fault)).toEqual([1, 2, 4]);
  });

  test('a change of consent belongs to the message that caused it', () => {
    const at = Date.parse('2026-03-02T09:00:00.000Z');
    const message = messageOf(1, { at, body: 'STOP', consent: 'opted_out' });
    const data = {
      contactId: ada.contactId,
      phone: ada.phone,
      keyword: 'STOP',
      occurredAt: '2026-03-02T09:00:00.000Z',
    };
    const delivery = deliveryOf('none', { event: 'contact.opted_out', body: JSON.stringify({ data }) });
    const attempt: Entry = { ...attemptOf(2, delivery), at };
    expect(told(message, attempt).chapters()).toEqual([[1, 2]]);
  });

  test('entries that the page drops leave their stories', () => {
    const journal = new Journal();
    for (let number = 1; number <= 11_001; number += 1) journal.add(messageOf(number));
    expect(journal.stories.rows(undefined)).toHaveLength(journal.entries.length);
    journal.clear();
    expect(journal.stories.rows(undefined)).toEqual([]);
  });
});

test('the entry that decides a chapter is the worst that was not mended', () => {
  const delivery = deliveryOf('message_1');
  const other = deliveryOf('message_1', { id: 'other delivery' });
  const again = deliveryOf('message_1', { id: 'again', redeliveryOf: delivery.id });
  const [message, fault] = [messageOf(1), faultOf(2, delivery.id)];
  const failed = attemptOf(3, delivery, 'the receiver responded with 500');
  const [elsewhere, mended, redelivered] = [attemptOf(4, other), attemptOf(5, delivery), attemptOf(6, again)];
  expect(decisiveIn(message, [message, fault, failed, elsewhere])).toBe(failed);
  expect(decisiveIn(message, [message, fault, failed, elsewhere, mended])).toBe(mended);
  expect(decisiveIn(message, [message, failed, redelivered])).toBe(redelivered);
  expect(decisiveIn(failed, [failed, mended])).toBe(mended);
  expect(decisiveIn(fault, [fault])).toBe(fault);
});
