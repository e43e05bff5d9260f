import { createMemoryKeyValueStore, SendBlockedError, SendGuardError } from 'messaging-automation';
import { createReferenceServer } from 'messaging-automation/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { atNight, quietHours, zoneFromProperty } from '../../examples/recipes/quiet-hours.js';
import { rejection } from '../client/support/service.js';

const phone = '+15551234567';

const quietIn = (zone: string, now: string) =>
  quietHours(
    async () => zone,
    () => Date.parse(now),
  );

const endOfNight = async (zone: string, now: string) =>
  new Date(await quietIn(zone, now).endOfNight(phone)).toISOString();

const reason = (zone: string, now: string) => quietIn(zone, now).check({ phone, templateId: 'reminder' });

test.each([
  ['the evening', 'Europe/Berlin', '2026-01-15T20:00:00.000Z', '2026-01-16T07:00:00.000Z'],
  ['the last minute of the night', 'Europe/Berlin', '2026-01-16T06:59:59.999Z', '2026-01-16T07:00:00.000Z'],
  [
    'the night in which clocks go forward',
    'Europe/Berlin',
    '2026-03-28T22:10:00.000Z',
    '2026-03-29T06:00:00.000Z',
  ],
  [
    'the night in which clocks go back',
    'Europe/Berlin',
    '2026-10-24T22:10:00.000Z',
    '2026-10-25T07:00:00.000Z',
  ],
  [
    'half an hour of summer time',
    'Australia/Lord_Howe',
    '2026-10-03T15:00:00.000Z',
    '2026-10-03T21:00:00.000Z',
  ],
  ['an offset of 45 minutes', 'Asia/Kathmandu', '2026-01-15T15:15:00.000Z', '2026-01-16T02:15:00.000Z'],
  [
    'the zone that is first in the day',
    'Pacific/Kiritimati',
    '2026-01-01T07:00:00.000Z',
    '2026-01-01T18:00:00.000Z',
  ],
  [
    'the zone that is last in the day',
    'Pacific/Pago_Pago',
    '2026-01-01T08:00:00.000Z',
    '2026-01-01T19:00:00.000Z',
  ],
  [
    'the day that a zone left out at the date line',
    'Pacific/Apia',
    '2011-12-30T09:00:00.000Z',
    '2011-12-30T18:00:00.000Z',
  ],
])('a message at %s is held back until eight', async (_, zone, now, morning) => {
  expect(await reason(zone, now)).toBe(atNight);
  expect(await endOfNight(zone, now)).toBe(morning);
  expect(await reason(zone, morning)).toBeUndefined();
  expect(await reason(zone, new Date(Date.parse(morning) - 1).toISOString())).toBe(atNight);
});

test.each([
  ['Europe/Berlin', '2026-01-15T19:59:59.999Z'],
  ['America/New_York', '2026-01-15T20:00:00.000Z'],
  ['Asia/Tokyo', '2026-01-15T23:00:00.000Z'],
])('a message by day in %s goes out', async (zone, now) => {
  expect(await reason(zone, now)).toBeUndefined();
  expect(await endOfNight(zone, now)).toBe(now);
});

describe('a contact', () => {
  /** A client whose guard reads the zone of the contact, at a time when it is day in Berlin and night in Tokyo. */
  async function start(properties: Record<string, string | number>) {
    const server = createReferenceServer({
      contacts: [{ phone, properties }],
      templates: [{ id: 'reminder', body: 'Do not forget.' }],
    });
    onTestFinished(() => server.close());
    const quiet = quietHours(zoneFromProperty(server.client), () => Date.parse('2026-01-15T16:00:00.000Z'));
    const messaging = server.client.withOptions({
      guards: [quiet],
      idempotencyStore: createMemoryKeyValueStore(),
    });
    const send = () =>
      messaging.transactional.send({ phone, templateId: 'reminder' }, { idempotencyKey: 'reminder-1' });
    return { server, quiet, send };
  }

  test('gets a message by day, and after a move at once by the new zone', async () => {
    const { server, send } = await start({ timeZone: 'Asia/Tokyo' });
    const error = await rejection(send());
    expect(error).toBeInstanceOf(SendBlockedError);
    expect(error).toMatchObject({ reason: atNight, outcome: 'not_sent' });
    await server.client.contacts.upsert({ phone, properties: { timeZone: 'Europe/Berlin' } });
    expect(await send()).toEqual({ success: true });
  });

  test.each<[string, Record<string, string | number>, string]>([
    ['without a zone', {}, 'the contact has no property timeZone'],
    ['with an empty zone', { timeZone: '' }, 'the contact has no property timeZone'],
    ['whose zone is a number', { timeZone: 1 }, 'the contact has no property timeZone'],
    ['with an unknown zone', { timeZone: 'Mars/Olympus' }, 'Mars/Olympus'],
  ])('%s gets nothing until it is corrected', async (_, properties, cause) => {
    const { server, quiet, send } = await start(properties);
    const error = await rejection(send());
    expect(error).toBeInstanceOf(SendGuardError);
    expect(error).toMatchObject({ outcome: 'not_sent', retryable: true });
    expect(String(error)).toContain(cause);
    await expect(quiet.endOfNight(phone)).rejects.toThrow(cause);
    expect(await server.journal.sends()).toEqual([]);
    await server.client.contacts.upsert({ phone, properties: { timeZone: 'Europe/Berlin' } });
    expect(await send()).toEqual({ success: true });
  });
});
