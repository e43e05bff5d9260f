import { describe, expect, test } from 'vitest';
import { askWith, refusal, startServer } from '../support/reference.js';

describe('the API key', () => {
  test.each(['', 'Bearer ', 'Bearer key key', 'Bearer KEY', 'Bearer __proto__'])(
    'is refused with 401 as %j',
    async (Authorization) => {
      const ask = askWith(startServer({ apiKey: 'key' }));
      const { status, body } = await ask('GET', '/v1/templates', undefined, { Authorization });
      expect([status, body]).toEqual([401, refusal('unauthorized')]);
    },
  );

  test.each(['Bearer key', 'bearer key', 'BEARER   key'])('is taken as %j', async (Authorization) => {
    const ask = askWith(startServer({ apiKey: 'key' }));
    expect((await ask('GET', '/v1/templates', undefined, { Authorization })).status).toBe(200);
  });

  test('is looked at before the body', async () => {
    const ask = askWith(startServer());
    const { status } = await ask('POST', '/v1/contacts', 'not JSON', { Authorization: 'Bearer wrong' });
    expect(status).toBe(401);
  });
});
