import type { Duration } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { conditionInWords, segmentInWords } from '../../../src/workbench/reading/conditions.js';
import { describeDelivery, describeStatus } from '../../../src/workbench/reading/describe-delivery.js';
import { describeEntry } from '../../../src/workbench/reading/describe-entry.js';
import { faultInWords } from '../../../src/workbench/reading/faults.js';
import { isFound } from '../../../src/workbench/reading/people.js';
import { filled } from '../../../src/workbench/reading/template-text.js';
import { aheadOf, lengthInWords, passageBetween, timeNear } from '../../../src/workbench/reading/times.js';
import type { DeliverySnapshot } from '../../../src/workbench/surface/entry.js';
import { deliveryOf } from '../entries.js';

test('each condition is in words', () => {
  expect(conditionInWords({ segment: 'regulars' })).toBe('in segment regulars');
  expect(conditionInWords({ property: 'tags', equals: ['a', 'b'] })).toBe('tags is a, b');
  expect(conditionInWords({ property: 'email', exists: false })).toBe('email is not set');
  expect(conditionInWords({ property: 'email', exists: true })).toBe('email is set');
  expect(conditionInWords({ property: 'tags', includes: 'vip' })).toBe('tags includes vip');
  expect(conditionInWords({ property: 'orders', atLeast: 3 })).toBe('orders is at least 3');
  expect(conditionInWords({ property: 'orders', below: 3 })).toBe('orders is below 3');
});

test('each kind of segment is in words', () => {
  expect(segmentInWords({ id: 'a', event: 'visited' })).toBe('visited');
  expect(segmentInWords({ id: 'a', event: 'visited', atLeast: 3, within: '30d' })).toBe(
    'visited at least 3 times within 30 d',
  );
  const where = [
    { property: 'city', equals: 'Paris' },
    { property: 'orders', below: 2 },
  ] as const;
  expect(segmentInWords({ id: 'a', where })).toBe('city is Paris and orders is below 2');
});

test('a fault rule is in words', () => {
  expect(faultInWords({ operation: 'any', fault: { kind: 'malformed_json' } })).toBe(
    'every request: returns half of the JSON',
  );
  expect(
    faultInWords({ operation: 'transactional.send', times: 1, fault: { kind: 'status', status: 503 } }),
  ).toBe('transactional.send: returns 503, once');
  expect(
    faultInWords({ delivery: 'any', probability: 0.1, fault: { kind: 'reset', when: 'before_receipt' } }),
  ).toBe('every delivery: is lost before it arrives, 10 %');
  expect(
    faultInWords({
      delivery: 'message.received',
      every: 2,
      nth: 4,
      times: 3,
      fault: { kind: 'latency', duration: 90_000 },
    }),
  ).toBe('deliveries of message.received: takes 1 m 30 s, only number 4, one in 2, 3 times');
});

test('what a fault did to a request is in the words of its rule, and the error of an injected status is not repeated', () => {
  const request = {
    type: 'request',
    number: 1,
    at: 0,
    requestId: 'request_1',
    operation: 'contacts.get',
    method: 'GET',
    path: '/api/v1/contacts/contact_1',
  } as const;
  const responseBody = '{"error":{"code":"not_found","message":"There is no contact."}}';
  const describeRequest = (more: object) => describeEntry({ ...request, status: 404, responseBody, ...more });
  expect(describeRequest({})).toMatchObject({ detail: 'There is no contact.', tone: 'bad' });
  const latency = { kind: 'latency', duration: '3s' } as const;
  expect(describeRequest({ faults: [latency] }).detail).toBe('injected: takes 3 s · There is no contact.');
  const status = { kind: 'status', status: 503 } as const;
  expect(describeRequest({ status: 503, faults: [latency, status] }).detail).toBe(
    'injected: takes 3 s, returns 503',
  );
  expect(describeRequest({ status: 200, faults: [{ kind: 'drift' }] })).toMatchObject({
    detail: 'injected: drift',
    tone: 'ok',
  });
});

test('an injected fault of a request and of a delivery is in the words of its rule', () => {
  const entry = { type: 'fault', number: 1, at: 0 } as const;
  const stall = { kind: 'stall' } as const;
  expect(
    describeEntry({ ...entry, fault: stall, operation: 'contacts.get', requestId: 'request_1' }),
  ).toMatchObject({ title: 'Fault: stalls in the response', detail: 'contacts.get' });
  expect(
    describeEntry({ ...entry, fault: stall, event: 'message.received', deliveryId: 'delivery_1' }),
  ).toMatchObject({ title: 'Fault: times out', detail: 'delivery of message.received' });
});

test('a send to somebody who had opted out says so, and others do not', () => {
  const send = {
    id: 'send_1',
    status: 'sent',
    contactId: 'contact_1',
    phone: '+15551234567',
    templateId: 'welcome',
    variables: {},
    text: 'Welcome!',
    paidBy: 'plan',
    sentAt: 5,
  } as const;
  const describeSend = (more: object) =>
    describeEntry({ type: 'send', number: 1, at: 5, send: { ...send, ...more } });
  expect(describeSend({ toOptedOut: true, journeyRunId: 'journey_run_1' })).toEqual({
    title: 'welcome',
    detail: 'the contact had opted out · “Welcome!”',
    outcome: 'sent by a journey',
    tone: 'wait',
  });
  expect(describeSend({})).toEqual({ title: 'welcome', detail: '“Welcome!”', outcome: 'sent', tone: 'ok' });
});

test('a duration of the control surface is in words in each of its forms', () => {
  const durations: readonly Duration[] = [250, '250ms', '1.5m', '2m', '1h', '1d'];
  expect(durations.map(lengthInWords)).toEqual(['250 ms', '250 ms', '1 m 30 s', '2 m', '1 h', '1 d']);
});

test('the state of a delivery counts down to its retry', () => {
  const attempts = [{ number: 1, startedAt: 0, signature: 'aa', error: 'refused' }];
  const delivery = deliveryOf('message_1', { status: 'pending' });
  const at = (fields: Partial<DeliverySnapshot>) => describeStatus({ ...delivery, ...fields }, 2_000);
  expect(at({})).toEqual({ text: 'delivering …', tone: 'wait' });
  expect(at({ attempts, dueAt: 10_000 })).toEqual({ text: 'retry in 8 s', tone: 'wait' });
  expect(at({ attempts, dueAt: 1_000 })).toEqual({ text: 'delivering …', tone: 'wait' });
  expect(at({ status: 'delivered' })).toEqual({ text: 'delivered', tone: 'ok' });
  expect(at({ status: 'failed' })).toEqual({ text: 'failed', tone: 'bad' });
  expect(at({ status: 'cancelled' })).toEqual({ text: 'cancelled', tone: 'plain' });
});

test('equal responses to a delivery stand together, unless the first one was a success', () => {
  const detail = (status: DeliverySnapshot['status'], ...statuses: readonly (number | undefined)[]) => {
    const attempts = statuses.map((returned, index) => ({
      number: index + 1,
      startedAt: 0,
      signature: 'aa',
      ...(returned !== undefined && { status: returned }),
    }));
    return describeDelivery(deliveryOf('message_1', { status, attempts }), new Map(), 0).detail;
  };
  expect(detail('failed', 500, 500, 500)).toBe('500 ×3 · “Hello”');
  expect(detail('delivered', 500, undefined, 200)).toBe('500, no response, 200 · “Hello”');
  expect(detail('delivered', 200)).toBe('“Hello”');
});

test('a template keeps the placeholders that have no value yet', () => {
  expect(filled('{{1}} and {{2}} and {{1}}', { '1': '$&' })).toBe('$& and {{2}} and $&');
});

test('a person is found by the phone, and by the name in any case and without its accents', () => {
  const zoe = { id: 'a', phone: '+15551234567', name: 'Zoë' };
  for (const text of [' ZOE', 'zoë', 'Zoe\u0308', '+1 (555) 123', '4567'])
    expect(isFound(zoe, text), text).toBe(true);
  for (const text of ['Zoey', '+2', 'ë z']) expect(isFound(zoe, text), text).toBe(false);
});

test.each<[string, string, string | undefined]>([
  ['2026-11-25T10:00:00Z', '2026-11-25T10:59:59Z', undefined],
  ['2026-11-25T10:00:00Z', '2026-11-25T13:20:40Z', '3 h 21 m later'],
  ['2026-11-25T23:59:00Z', '2026-11-26T00:01:00Z', '2 m later · Thu 26 Nov'],
  ['2026-11-25T10:01:10Z', '2026-11-27T10:00:00Z', '2 d later · Fri 27 Nov'],
  ['2026-12-04T10:00:00Z', '2026-11-27T10:00:00Z', '7 d earlier · Fri 27 Nov'],
  ['2026-12-31T10:00:00Z', '2027-01-01T11:00:00Z', '1 d 1 h later · Fri 1 Jan 2027'],
])('between %s and %s it says %s', (one, next, expected) => {
  expect(passageBetween(Date.parse(one), Date.parse(next))).toBe(expected);
});

test('a time on another day has its day', () => {
  const now = Date.parse('2026-11-25T10:00:00Z');
  expect(timeNear(now, now)).toBe('10:00:00');
  expect(timeNear(now, now - 86_400_000)).toBe('Wed 25 Nov 10:00:00');
});

test('a clock far from that of the machine is ahead or behind', () => {
  expect(aheadOf(9.1 * 86_400_000, 0)).toBe('9 d ahead');
  expect(aheadOf(0, 7_200_000)).toBe('2 h behind');
  expect(aheadOf(86_399_990, 0)).toBe('1 d ahead');
  expect(aheadOf(29_999, 0)).toBeUndefined();
});
