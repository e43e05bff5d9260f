import { faultHeader } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { askWith, phone, refusal, startServer } from '../support/reference.js';
import { callerOf } from './support/environments.js';

const template = { id: 'welcome', body: 'Welcome!' };

describe('a fault by the header of a request', () => {
  test('strikes that request alone', async () => {
    const server = startServer({ contacts: [{ phone }], templates: [template] });
    const { messaging } = await callerOf(server);
    const send = (headers = {}) =>
      messaging.transactional.send({ phone, templateId: 'welcome' }, { headers });
    const fault = { kind: 'reset', when: 'after_commit' };
    await expect(send({ [faultHeader]: JSON.stringify(fault) })).rejects.toMatchObject({
      outcome: 'unknown',
    });
    expect(await send()).toEqual({ success: true });
    expect((await server.journal.find('request')).map(({ faults }) => faults)).toEqual([[fault], undefined]);
    expect(await server.journal.sends()).toHaveLength(2);
  });

  test('comes before the rules', async () => {
    const server = startServer({ faults: [{ operation: 'any', fault: { kind: 'status', status: 502 } }] });
    const { status } = await askWith(server)('GET', '/v1/templates', undefined, {
      [faultHeader]: '{"kind":"status","status":504}',
    });
    expect(status).toBe(504);
    expect(await server.faults.list()).toMatchObject([{ matched: 1, injected: 0 }]);
  });

  const wrong: readonly (readonly [string, string, string])[] = [
    ['stall', faultHeader, 'must be JSON, such as {"kind":"stall"}'],
    ['', faultHeader, 'must be JSON, such as {"kind":"stall"}'],
    ['null', faultHeader, 'must be an object'],
    [
      '{"kind":"duplicate"}',
      `${faultHeader}: kind`,
      'must be status, rate_limit, latency, reset, stall, malformed_json or drift',
    ],
    ['{"kind":"reset"}', `${faultHeader}: when`, 'must be "before_commit" or "after_commit"'],
    [
      '{"kind":"stall","__proto__":{}}',
      `${faultHeader}: __proto__`,
      'is not a known field; remove it or check its spelling',
    ],
  ];

  test.each(wrong)('is refused where it is not right: %s', async (value, field, message) => {
    const server = startServer();
    const response = await askWith(server)('POST', '/v1/contacts', { phone }, { [faultHeader]: value });
    expect(response.status).toBe(400);
    expect(response.body).toEqual(refusal('invalid_request', field));
    expect(response.body).toMatchObject({
      error: { message: `${field} ${message}.`, details: [{ message }] },
    });
    expect(await server.client.contacts.find(phone)).toBeNull();
  });
});
