import { describe, expect, test } from 'vitest';
import { askWith, startServer } from '../support/reference.js';

const app = 'https://app.example.com';
const preflight = (Origin: string) => ({
  Origin,
  Authorization: undefined,
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization,content-type',
});
const corsHeaders = (headers: Headers) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

describe('pages of other origins', () => {
  test('are let in by nothing unless asked', async () => {
    const ask = askWith(startServer());
    const { status, headers } = await ask('GET', '/v1/templates', undefined, { Origin: app });
    expect([status, corsHeaders(headers)]).toEqual([200, []]);
    const asked = await ask('OPTIONS', '/v1/contacts', undefined, preflight(app));
    expect([asked.status, corsHeaders(asked.headers)]).toEqual([405, []]);
  });

  test.each([
    ['*', app, true],
    [[app], app, true],
    [['https://other.example.com', app], app, true],
    [[app], 'https://app.example.com.evil.test', false],
    [[app], 'https://APP.example.com', false],
    [[app], 'null', false],
    [[app, 'null'], 'null', true],
    [[], app, false],
  ] as const)('with cors: %j, that of %s is let in: %j', async (cors, origin, letIn) => {
    const ask = askWith(startServer({ cors }));
    const asked = await ask('OPTIONS', '/v1/contacts', undefined, preflight(origin));
    const responded = await ask('GET', '/v1/templates', undefined, { Origin: origin });
    const refused = await ask('GET', '/v1/nowhere', undefined, { Origin: origin });
    expect(asked.status).toBe(letIn ? 204 : 405);
    for (const { headers } of [asked, responded, refused]) {
      expect(headers.get('access-control-allow-origin')).toBe(letIn ? origin : null);
      expect(headers.get('vary')).toBe(letIn ? 'Origin' : null);
    }
    if (!letIn) {
      for (const { headers } of [asked, responded, refused]) expect(corsHeaders(headers)).toEqual([]);
    }
  });

  test('that are let in may send what the API takes, and read what its responses say', async () => {
    const ask = askWith(startServer({ cors: [app] }));
    const { status, headers, body } = await ask('OPTIONS', '/v1/contacts/x', undefined, preflight(app));
    expect([status, body]).toEqual([204, undefined]);
    expect(headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, DELETE');
    expect(headers.get('access-control-allow-headers')).toBe(
      'Authorization, Content-Type, Last-Event-ID, X-Reference-Server-Fault',
    );
    const refused = await ask('GET', '/v1/contacts/x', undefined, { Origin: app });
    expect(refused.status).toBe(404);
    expect(refused.headers.get('access-control-expose-headers')).toBe('Retry-After, X-Request-Id');
    // A key is no cookie: nothing is sent that the page did not have.
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('an OPTIONS that is no preflight is a method like any other', async () => {
    const ask = askWith(startServer({ cors: '*' }));
    expect((await ask('OPTIONS', '/v1/contacts', undefined, { Origin: app })).status).toBe(405);
    expect((await ask('GET', '/v1/templates')).headers.get('access-control-allow-origin')).toBeNull();
  });
});
