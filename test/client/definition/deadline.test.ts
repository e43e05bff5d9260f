import { type Drift, defineWorkspace, TimeoutError } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { reply } from '../support/behaviours.js';
import { manualClock } from '../support/clocks.js';
import { phone } from '../support/samples.js';
import { clientOf, rejection, type Service, startService } from '../support/service.js';
import { schemaOf } from './support.js';

const contact = { id: 'c1', properties: { phone, city: 'London' } };
const input = { phone, properties: { city: 'London' } };

/** A client whose workspace has a schema that never settles from its check of this number on, counted from 1. */
function stallingFrom(firstStall: number, service: Service, validation: 'warn' | 'strict' = 'warn') {
  let checks = 0;
  let begin = () => {};
  const stalled = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const city = schemaOf<string>((value) => {
    checks += 1;
    if (checks < firstStall) return { value: String(value) };
    begin();
    return new Promise(() => {});
  });
  const clock = manualClock();
  const drifts: Drift[] = [];
  const onDrift = (drift: Drift) => drifts.push(drift);
  const workspace = defineWorkspace({ properties: { city } });
  const messaging = clientOf(service, { clock, validation, onDrift, workspace });
  return { messaging, clock, drifts, stalled };
}

describe.each([
  ['an input', 1, { outcome: 'not_sent', attempts: 0 }, 0],
  ['a response, with strict validation', 2, { outcome: 'unknown', attempts: 1 }, 1],
] as const)('a schema that never settles over %s', (_, firstStall, facts, requests) => {
  test('ends with the deadline', async () => {
    const service = await startService(reply(200, contact));
    const { messaging, clock, stalled } = stallingFrom(firstStall, service, 'strict');
    const failed = rejection(messaging.contacts.upsert(input));
    await stalled;
    clock.advance(30_000);

    expect(await failed).toBeInstanceOf(TimeoutError);
    expect(await failed).toMatchObject(facts);
    expect(service.requests).toHaveLength(requests);
    expect(clock.timers()).toBe(0);
  });

  test.each(['warn', 'strict'] as const)('ends with the signal, with validation: %s', async (validation) => {
    const service = await startService(reply(200, contact));
    const { messaging, stalled } = stallingFrom(firstStall, service, validation);
    const controller = new AbortController();
    const failed = rejection(messaging.contacts.upsert(input, { signal: controller.signal }));
    await stalled;
    controller.abort('changed my mind');

    expect(await failed).toBe('changed my mind');
    expect(service.requests).toHaveLength(requests);
  });
});

test('a schema that never settles over a response costs no result: it is given at the deadline, and onDrift is called', async () => {
  const service = await startService(reply(200, contact));
  const { messaging, clock, drifts, stalled } = stallingFrom(2, service);
  const call = messaging.contacts.upsert(input);
  await stalled;
  clock.advance(30_000);

  expect(await call).toEqual(contact);
  const problems = [{ field: '', message: expect.stringContaining('before the deadline') }];
  expect(drifts).toEqual([{ operation: 'contacts.upsert', status: 200, problems }]);
});
