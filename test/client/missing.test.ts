import { type Drift, NotFoundError, UnusableResponseError } from 'messaging-automation';
import { describe, expect, test, vi } from 'vitest';
import { eagerClock } from './support/clocks.js';
import {
  answer,
  type Behaviour,
  clientOf,
  faults,
  inTurn,
  phone,
  rejection,
  startService,
} from './support/service.js';

/** What answers at a wrong base URL, by what it is, with the body that it sends. */
const foreign = Object.entries({
  'Go’s net/http, and Traefik': '404 page not found\n',
  Fastify: '{"message":"Route GET:/v1/contacts/find not found","error":"Not Found","statusCode":404}',
  Nest: '{"message":"Cannot GET /v1/contacts/find","error":"Not Found","statusCode":404}',
  Express: '<!DOCTYPE html>\n<html lang="en">\n<pre>Cannot GET /v1</pre>\n</html>\n',
  Kong: '{\n  "message":"no Route matched with those values",\n  "request_id":"8f2c"\n}',
  'an HTTP API of AWS API Gateway': '{"message":"Not Found"}',
  'a fixed response of AWS ALB, and Koa': 'Not Found',
  'Spring Boot':
    '{"timestamp":"2026-11-22T03:00:00.000+00:00","status":404,"error":"Not Found","path":"/v1"}',
  'Spring Boot 3':
    '{"type":"about:blank","title":"Not Found","status":404,"detail":"No static resource v1."}',
  FastAPI: '{"detail":"Not Found"}',
  'Django REST framework': '{"detail":"Not found."}',
  Laravel: '{"message":"The route v1/contacts/find could not be found."}',
  Rails: '{"status":404,"error":"Not Found"}',
  'ASP.NET Core':
    '{"type":"https://tools.ietf.org/html/rfc9110","title":"Not Found","status":404,"traceId":"00-1"}',
  'Azure API Management': '{ "statusCode": 404, "message": "Resource not found" }',
  'gRPC-Gateway': '{"code":5, "message":"Not Found", "details":[]}',
  Apigee:
    '{"fault":{"faultstring":"Unable to identify proxy","detail":{"errorcode":"http.flow.ApplicationNotFound"}}}',
  Supabase: '{"code":"NOT_FOUND","message":"Requested function was not found"}',
  'Vercel, in JSON': '{"error":{"code":"not_found","message":"The page could not be found"}}',
  'Vercel, in text': 'The page could not be found\n\nNOT_FOUND\n\nfra1::8f2c\n',
  'Amazon S3': '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code></Error>',
  Hono: '404 Not Found',
  nginx: '<html>\r\n<head><title>404 Not Found</title></head>\r\n</html>\r\n',
  'a code that speaks of the path': '{"error":{"code":"unknown_path"}}',
}).flatMap(([name, body]) =>
  ['application/json', 'text/html'].map((type): [string, Behaviour] => [
    `${name}, as ${type}`,
    answer(404, body, { 'content-type': type }),
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
      const service = await startService(answer(404, body, { 'content-type': type }));
      expect(await clientOf(service).contacts.find(phone)).toBeNull();
    }
  });

  test.each(foreign)('doubts the base URL at the 404 of %s', async (_, behave) => {
    const service = await startService(behave);
    const error = await rejection(clientOf(service).contacts.find(phone));

    expect(error).toBeInstanceOf(NotFoundError);
    expect(String(error)).toContain("The answer is not the service's own. Check the base URL");
    expect(String(error)).not.toContain('No contact');
    expect(service.requests).toHaveLength(1);
  });
});

describe('an empty 404, which the service and a gateway may both send', () => {
  test.each(['', '{}', 'null', '\n'])('gives null, and onDrift is told: %j', async (body) => {
    const drifts: Drift[] = [];
    const service = await startService(answer(404, body));
    const messaging = clientOf(service, { onDrift: (drift) => drifts.push(drift) });

    expect(await messaging.contacts.find(phone)).toBeNull();
    expect(drifts).toEqual([
      {
        operation: 'contacts.find',
        status: 404,
        problems: [{ field: '', message: expect.stringContaining('base URL') }],
      },
    ]);
  });

  test('warns the process once', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const { baseUrl } = await startService(answer(404));
    const messaging = clientOf({ baseUrl }, { onDrift: undefined });
    await messaging.contacts.find(phone);
    await messaging.contacts.find(phone);

    expect(emitWarning).toHaveBeenCalledOnce();
    expect(String(emitWarning.mock.calls[0])).toContain('base URL');
    emitWarning.mockRestore();
  });

  test("is an error with validation: 'strict', and nothing to tell with 'off'", async () => {
    const service = await startService(answer(404));
    const strict = await rejection(clientOf(service, { validation: 'strict' }).contacts.find(phone));

    expect(strict).toBeInstanceOf(UnusableResponseError);
    expect(strict).toMatchObject({ status: 404, outcome: 'rejected' });
    expect(await clientOf(service, { validation: 'off' }).contacts.find(phone)).toBeNull();
  });

  test('is an error of contacts.get, which names both causes', async () => {
    const service = await startService(answer(404));
    const error = await rejection(clientOf(service).contacts.get('c1'));

    expect(error).toBeInstanceOf(NotFoundError);
    expect(String(error)).toContain('No contact has this id. Check the id.');
    expect(String(error)).toContain('Check the base URL');
  });
});

describe('what is no missing record', () => {
  test.each([400, 410, 500])('is a %i of contacts.find', async (status) => {
    const service = await startService(answer(status));
    const error = await rejection(clientOf(service, { retries: 0 }).contacts.find(phone));

    expect(error).toMatchObject({ operation: 'contacts.find', status });
  });

  test('is the 404 of an update whose first answer was lost', async () => {
    const service = await startService(inTurn(faults.reset, answer(404, { error: { code: 'not_found' } })));
    const messaging = clientOf(service, { clock: eagerClock() });
    const error = await rejection(messaging.contacts.update('c1', { properties: {} }));

    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ outcome: 'unknown', attempts: 2 });
  });
});

describe('a delete whose first answer was lost', () => {
  const repeated = async (second: Behaviour, onDrift: (drift: Drift) => void) => {
    const service = await startService(inTurn(faults.reset, second));
    return clientOf(service, { clock: eagerClock(), onDrift }).contacts.delete('c1');
  };

  test.each(own)('is done when the service answers the second one with 404: %s', async (_, body) => {
    const drifts: Drift[] = [];

    expect(await repeated(answer(404, body), (drift) => drifts.push(drift))).toBeUndefined();
    expect(drifts).toEqual([]);
  });

  test('is done, and onDrift is told, when the 404 is empty', async () => {
    const drifts: Drift[] = [];

    expect(await repeated(answer(404), (drift) => drifts.push(drift))).toBeUndefined();
    expect(drifts.map(({ operation }) => operation)).toEqual(['contacts.delete']);
  });

  test.each(foreign)('is an error, of unknown outcome, at the 404 of %s', async (_, behave) => {
    const error = await rejection(repeated(behave, () => {}));

    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ outcome: 'unknown' });
  });
});
