import { type Drift, NotFoundError, UnusableResponseError } from 'messaging-automation';
import { describe, expect, test, vi } from 'vitest';
import { type Behaviour, faults, inTurn, reply } from './support/behaviours.js';
import { phone } from './support/samples.js';
import { type Call, clientOf, failure, rejection, startClient } from './support/service.js';

const find: Call = ({ contacts }) => contacts.find(phone);

/** What responds at a wrong base URL, by what it is, with the body that it sends. */
const foreign = Object.entries({
  'Go’s net/http, and Traefik': '404 page not found\n',
  Fastify: '{"message":"Route GET:/v1/contacts/find not found","error":"Not Found","statusCode":404}',
  Express: '<!DOCTYPE html>\n<html lang="en">\n<pre>Cannot GET /v1</pre>\n</html>\n',
  'an HTTP API of AWS API Gateway': '{"message":"Not Found"}',
  'Spring Boot 3':
    '{"type":"about:blank","title":"Not Found","status":404,"detail":"No static resource v1."}',
  Supabase: '{"code":"NOT_FOUND","message":"Requested function was not found"}',
  'Vercel, in JSON': '{"error":{"code":"not_found","message":"The page could not be found"}}',
  'Amazon S3': '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code></Error>',
  'a code that speaks of the path': '{"error":{"code":"unknown_path"}}',
}).flatMap(([name, body]) =>
  ['application/json', 'text/html'].map((type): [string, Behaviour] => [
    `${name}, as ${type}`,
    reply(404, body, { 'content-type': type }),
  ]),
);

/** What the service itself may say, of which the document shows the code `not_found` for another operation. */
const own: readonly (readonly [string, unknown])[] = [
  ['{ error: { code } }', { error: { code: 'not_found', message: 'No contact has this phone.' } }],
  ['{ code }', { code: 'not_found' }],
  ['{ error }', { error: 'contact_not_found' }],
  ['another code', { error: { code: 'unknown_contact' } }],
];

describe('contacts.find', () => {
  test.each(own)('gives null for a 404 of the service, with %s', async (_, body) => {
    for (const type of ['application/json', 'text/html']) {
      const { messaging } = await startClient(reply(404, body, { 'content-type': type }));
      expect(await find(messaging)).toBeNull();
    }
  });

  test.each(foreign)('doubts the base URL at the 404 of %s', async (_, behave) => {
    const { error, requests } = await failure(behave, find);

    expect(error).toBeInstanceOf(NotFoundError);
    expect(String(error)).toContain("The response is not the service's own. Check the base URL");
    expect(String(error)).not.toContain('No contact');
    expect(requests).toHaveLength(1);
  });
});

describe('a 404 that is empty or only names a record, which the service and a gateway may both send', () => {
  test.each([
    ...['', '{}', 'null', '\n'],
    ...['{"message":"Contact not found"}', '{"error":"No such contact"}', '{"code":"CONTACT_NOT_FOUND"}'],
  ])('gives null, and calls onDrift: %j', async (body) => {
    const onDrift = vi.fn();
    const { messaging } = await startClient(reply(404, body), { onDrift });

    expect(await find(messaging)).toBeNull();
    const problems = [{ field: '', message: expect.stringContaining('base URL') }];
    expect(onDrift.mock.calls).toEqual([[{ operation: 'contacts.find', status: 404, problems }]]);
  });

  test("is an error with validation: 'strict', and nothing to tell with 'off'", async () => {
    const service = await startClient(reply(404));
    const strict = await rejection(find(clientOf(service, { validation: 'strict' })));

    expect(strict).toBeInstanceOf(UnusableResponseError);
    expect(strict).toMatchObject({ status: 404, outcome: 'rejected' });
    expect(await find(clientOf(service, { validation: 'off' }))).toBeNull();
  });
});

describe.each(['contacts', 'webhooks'] as const)('%s.delete', (resource) => {
  const remove: Call = (messaging) => messaging[resource].delete('x1');

  test.each<[string, unknown, number]>([
    ...own.map(([title, body]): [string, unknown, number] => [`says ${title}`, body, 0]),
    ['is empty, and calls onDrift', undefined, 1],
  ])('is done when a response was lost and the next one is a 404 that %s', async (_, body, told) => {
    const drifts: Drift[] = [];
    const behave = inTurn(faults.reset, reply(404, body));
    const { messaging } = await startClient(behave, { onDrift: (drift) => drifts.push(drift) });
    const { data, attempts } = await messaging[resource].delete('x1').withResponse();

    expect({ data, attempts }).toEqual({ data: undefined, attempts: 2 });
    expect(drifts.map(({ operation }) => operation)).toEqual(Array(told).fill(`${resource}.delete`));
  });

  test.each(foreign)(
    'fails, with an unknown outcome, when a response was lost and the next one is the 404 of %s',
    async (_, behave) => {
      const { error } = await failure(inTurn(faults.reset, behave), remove);

      expect(error).toBeInstanceOf(NotFoundError);
      expect(error).toMatchObject({ outcome: 'unknown' });
    },
  );

  test.each([
    ['the first response is a 404', []],
    ['the attempt before was turned away', [reply(429)]],
  ])('fails when %s', async (_, before) => {
    const { error } = await failure(inTurn(...before, reply(404, { code: 'not_found' })), remove);

    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ operation: `${resource}.delete`, status: 404 });
  });
});
