import { describe, expect, test } from 'vitest';
import { FollowedJournal } from '../../../src/workbench/live/journal.js';
import type { EntryJson, EntryJsonOf } from '../../../src/workbench/surface/entry.js';
import { ada, attemptOf, deliveryOf, messageOf, runOf } from '../entries.js';

const hour = 3_600_000;

function requestOf(number: number, requestId: string, body = '{}'): EntryJson {
  return {
    type: 'request',
    number,
    at: number,
    requestId,
    operation: 'events.track',
    method: 'POST',
    path: '/api/v1/events',
    status: 202,
    body,
  };
}

function eventOf(number: number, fields: Partial<EntryJsonOf<'event'>> = {}): EntryJson {
  const event = {
    id: 'event_1',
    contactId: ada.contactId,
    event: 'signed_up',
    properties: {},
    acceptedAt: number,
  };
  return { type: 'event', number, at: number, event, phone: ada.phone, ...fields };
}

function stepAt(number: number, at: number): EntryJson {
  return { type: 'journey', number, at, run: runOf({ position: number }) };
}

function sendOf(number: number, at: number): EntryJson {
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

function faultOf(number: number, deliveryId: string): EntryJson {
  return {
    type: 'fault',
    number,
    at: number,
    fault: { kind: 'duplicate' },
    event: 'message.received',
    deliveryId,
  };
}

function told(...entries: readonly EntryJson[]) {
  const journal = new FollowedJournal();
  for (const entry of entries) journal.add(entry);
  return {
    storyOf: (entry: EntryJson) => numbersIn(journal.stories.of(entry)),
    rows: () => journal.stories.rows.map(numbersIn),
    journal,
  };
}

function numbersIn(story: readonly EntryJson[]): readonly number[] {
  return story.map(({ number }) => number);
}

describe('stories', () => {
  test('a request leads what it did, although its entry follows', () => {
    const [event, step, request] = [
      eventOf(1, { requestId: 'request_1' }),
      stepAt(2, 2),
      requestOf(3, 'request_1'),
    ];
    expect(told(event, step, request, stepAt(4, 4)).rows()).toEqual([[3, 1, 2, 4]]);
  });

  test('a run is one story across its waits, and that in which something happened last is the last', () => {
    const [event, step, other, send] = [eventOf(1), stepAt(2, 2), messageOf(3), sendOf(4, 50 * hour)];
    expect(told(event, step, other).rows()).toEqual([[1, 2], [3]]);
    const { rows, storyOf } = told(event, step, other, send);
    expect(rows()).toEqual([[3], [1, 2, 4]]);
    expect(storyOf(event)).toEqual([1, 2, 4]);
  });

  test('the runs of several contacts are stories of their own, also through one journey', () => {
    const of = (contact: number, number: number): EntryJson => {
      const run = runOf({ id: `run_${contact}`, eventId: `event_${contact}`, position: number });
      return { type: 'journey', number, at: number * hour, run };
    };
    expect(told(of(1, 1), of(2, 2), of(1, 3), of(2, 4), of(1, 5)).rows()).toEqual([
      [2, 4],
      [1, 3, 5],
    ]);
  });

  test('the retries of a delivery, and what sent it again, are its story', () => {
    const [delivery, again] = [deliveryOf('message_1'), deliveryOf('message_1', { id: 'again' })];
    const entries = [messageOf(1), attemptOf(2, delivery), attemptOf(3, delivery), attemptOf(4, again)];
    expect(told(...entries).rows()).toEqual([[1, 2, 3, 4]]);
  });

  test('a fault in a delivery joins the message that the delivery belongs to', () => {
    const message = messageOf(1);
    const delivery = deliveryOf('message_1');
    const [fault, attempt] = [faultOf(2, delivery.id), attemptOf(5, delivery)];
    const { rows, storyOf } = told(message, fault, messageOf(3), faultOf(4, 'another'), attempt);
    expect(rows()).toEqual([[3], [4], [1, 2, 5]]);
    expect(storyOf(fault)).toEqual([1, 2, 5]);
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
    const attempt: EntryJson = { ...attemptOf(2, delivery), at };
    expect(told(message, attempt).rows()).toEqual([[1, 2]]);
  });

  test('a story that goes on is the same object, so that a list knows its row again', () => {
    const { journal } = told(eventOf(1));
    const [before] = journal.stories.rows;
    journal.add(stepAt(2, 2));
    expect(journal.stories.rows[0]).toBe(before);
  });

  test('entries that the page drops leave their stories, and the rest of a story goes on', () => {
    const journal = new FollowedJournal();
    journal.add(eventOf(1));
    for (let number = 2; number <= 11_000; number += 1) journal.add(messageOf(number));
    const step = stepAt(11_001, 11_001);
    journal.add(step);
    expect(journal.stories.rows).toHaveLength(journal.entries.length);
    expect(numbersIn(journal.stories.of(step))).toEqual([11_001]);
    journal.add(sendOf(11_002, 11_002));
    expect(numbersIn(journal.stories.of(step))).toEqual([11_001, 11_002]);
    journal.clear();
    expect(journal.stories.rows).toEqual([]);
  });
});

describe('whose an entry is', () => {
  test('the contact that it names by phone or by id, or that its story names', () => {
    const delivery = deliveryOf('message_1');
    const fault = faultOf(2, delivery.id);
    const step: EntryJson = stepAt(3, 3);
    const request = requestOf(4, 'request_1', JSON.stringify({ phone: ada.phone }));
    const { journal } = told(messageOf(1), fault, step, request, attemptOf(5, delivery));
    journal.people.list([{ id: ada.contactId, phone: ada.phone, properties: { firstName: 'Ada' } }]);
    for (const entry of journal.entries)
      expect(journal.whose(entry), entry.type).toEqual({ id: ada.contactId, phone: ada.phone, name: 'Ada' });
    expect(journal.whose(requestOf(6, 'request_2'))).toBeUndefined();
  });
});
