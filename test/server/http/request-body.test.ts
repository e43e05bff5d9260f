import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  type Ask,
  askOverSocket,
  askWith,
  invalid,
  phone,
  refusal,
  startServer,
} from '../support/reference.js';

const post = (ask: Ask, body: unknown) => ask('POST', '/v1/contacts', body);
const megabyte = 1024 * 1024;

/** A body of exactly this many bytes that creates a contact. */
function bodyOfSize(bytes: number): string {
  const empty = JSON.stringify({ phone, properties: { note: '' } });
  return JSON.stringify({ phone, properties: { note: 'x'.repeat(bytes - empty.length) } });
}

/** The same bytes without a declared length. */
function streamOf(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let offset = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.subarray(offset, offset + 65_536));
      offset += 65_536;
      if (offset >= bytes.length) controller.close();
    },
  });
}

describe('a body that is not JSON', () => {
  test.each([
    '',
    '  \n',
    '{',
    '{"phone":"+15551234567"}}',
    '{"phone":"+15551234567",}',
    'phone=%2B15551234567',
    'NaN',
    '{"phone":"\n"}',
    '\0',
  ])('gives 400 invalid_json: %j', async (text) => {
    const { status, body } = await post(askWith(startServer()), text);
    expect([status, body]).toEqual([400, refusal('invalid_json')]);
  });

  test.each([
    ['a lone continuation byte', [0x80]],
    ['half a character', [0xe2, 0x82]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
  ])('gives 400 invalid_json for %s', async (_, bytes) => {
    const text = new TextEncoder().encode('{"phone":"+15551234567","properties":{"note":"');
    const { status, body } = await post(
      askWith(startServer()),
      new Uint8Array([...text, ...bytes, ...new TextEncoder().encode('"}}')]),
    );
    expect([status, body]).toEqual([400, refusal('invalid_json')]);
    expect(JSON.stringify(body)).toContain('UTF-8');
  });

  test('is not repeated in the response', async () => {
    const { body } = await post(askWith(startServer()), 'secret_4711 is not JSON');
    expect(JSON.stringify(body)).not.toContain('secret_4711');
  });

  test('may begin with a byte order mark, or whitespace, and still be JSON', async () => {
    const ask = askWith(startServer());
    expect((await post(ask, `\ufeff{"phone":"${phone}"}`)).status).toBe(201);
    expect((await post(ask, ` \r\n\t{"phone":"${phone}"}\n`)).status).toBe(200);
  });
});

test.each(['null', '[]', '"text"', '42', 'true', '[{"phone":"+15551234567"}]'])(
  'a body that is no object gives 400 invalid_request: %s',
  async (text) => {
    const ask = askWith(startServer());
    for (const path of ['/v1/contacts', '/v1/transactional', '/v1/events', '/v1/webhooks']) {
      const { status, body } = await ask('POST', path, text);
      expect(status, path).toBe(400);
      expect(body).toMatchObject({
        error: { code: 'invalid_request', message: 'The body must be an object.' },
      });
    }
  },
);

describe('the content type', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="utf-8"',
    'application/json ; profile=x',
  ])('is taken as %s', async (type) => {
    const { status } = await askWith(startServer())(
      'POST',
      '/v1/contacts',
      { phone },
      { 'Content-Type': type },
    );
    expect(status).toBe(201);
  });

  test.each([
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json-patch+json',
    'text/plain; application/json',
    'application/json; charset=iso-8859-1',
  ])('gives 415 as %s', async (type) => {
    const bytes = new TextEncoder().encode(JSON.stringify({ phone }));
    const { status, body } = await askWith(startServer())('POST', '/v1/contacts', bytes, {
      'Content-Type': type,
    });
    expect([status, body]).toEqual([415, refusal('unsupported_media_type')]);
  });

  test('does not matter where no body is read', async () => {
    const ask = askWith(startServer());
    expect((await ask('GET', '/v1/templates', undefined, { 'Content-Type': undefined })).status).toBe(200);
    expect((await ask('DELETE', '/v1/webhooks/x', 'ignored', { 'Content-Type': 'text/plain' })).status).toBe(
      404,
    );
  });
});

describe('the size of a body', () => {
  test.each(['without a socket', 'over a socket'])('may be 1 MiB and not a byte more, %s', async (way) => {
    const server = startServer();
    const ask = way === 'over a socket' ? await askOverSocket(server) : askWith(server);
    expect((await post(ask, bodyOfSize(megabyte))).status).toBe(201);
    expect((await post(ask, streamOf(bodyOfSize(megabyte)))).status).toBe(200);
    for (const body of [
      bodyOfSize(megabyte + 1),
      streamOf(bodyOfSize(megabyte + 1)),
      streamOf(bodyOfSize(8 * megabyte)),
    ]) {
      const response = await post(ask, body);
      expect([response.status, response.body]).toEqual([413, refusal('payload_too_large')]);
    }
    expect((await post(ask, { phone })).status).toBe(200);
  });

  test('is what it is, whatever length it declares', async () => {
    const ask = askWith(startServer({ bodyLimit: 100 }));
    for (const length of ['5', 'many', '-1']) {
      const { status } = await ask('POST', '/v1/contacts', bodyOfSize(101), { 'Content-Length': length });
      expect(status).toBe(413);
    }
  });

  test('limits the control surface too', async () => {
    const server = startServer({ bodyLimit: 100 });
    const { status } = await askWith(server)('POST', '/../control/inbound-messages', {
      phone,
      body: 'x'.repeat(100),
    });
    expect(status).toBe(413);
  });
});

describe('a body that is nested deeply', () => {
  const depth = 200_000;

  test.each([
    ['arrays', '['.repeat(depth) + ']'.repeat(depth)],
    ['objects', `${'{"a":'.repeat(depth / 2)}1${'}'.repeat(depth / 2)}`],
  ])('is refused without harm: %s', async (_, value) => {
    const ask = askWith(startServer({ contacts: [{ phone }] }));
    const body = `{"phone":"${phone}","properties":{"a":${value}}}`;
    expect(await post(ask, value)).toMatchObject({ status: 400 });
    expect(await post(ask, body)).toMatchObject(invalid('properties.a'));
    expect((await post(ask, { phone })).status).toBe(200);
  });

  test.each([
    [32, 202],
    [33, 400],
    [depth, 400],
  ])('gets a response, as the properties of an event that are %i deep, with %i', async (levels, status) => {
    const server = startServer({ contacts: [{ phone }] });
    const value = '['.repeat(levels - 1) + ']'.repeat(levels - 1);
    const body = `{"event":"seen","phone":"${phone}","properties":{"a":${value}}}`;
    expect((await askWith(server)('POST', '/v1/events', body)).status).toBe(status);
    await server.settled();
  });
});

test.each([
  ['/v1/contacts', `{"phone":"${phone}","__proto__":{"admin":true}}`, '__proto__'],
  [
    '/v1/events',
    `{"event":"seen","phone":"${phone}","properties":{"a":{"__proto__":{}}}}`,
    'properties.a.__proto__',
  ],
])('a field named __proto__ gives 400 that says where: %s %s', async (path, text, where) => {
  expect(await askWith(startServer())('POST', path, text)).toMatchObject(invalid(where));
  expect(Reflect.get({}, 'admin')).toBeUndefined();
});

describe('a body that is compressed', () => {
  const compressed = gzipSync(JSON.stringify({ phone }));

  test.each(['gzip', 'br', 'zstd', 'identity, gzip'])('gives 415 that says so: %s', async (encoding) => {
    const ask = await askOverSocket(startServer());
    const { status, body } = await ask('POST', '/v1/contacts', compressed, { 'Content-Encoding': encoding });
    expect(status).toBe(415);
    expect(body).toMatchObject({
      error: { code: 'unsupported_media_type', message: expect.stringContaining('Content-Encoding') },
    });
  });

  test.each(['identity', ''])('is none where its encoding is %j', async (encoding) => {
    const ask = askWith(startServer());
    const { status } = await ask('POST', '/v1/contacts', { phone }, { 'Content-Encoding': encoding });
    expect(status).toBe(201);
  });
});
