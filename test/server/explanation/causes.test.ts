import type {
  DeliveryFault,
  ListenerResponse,
  ReferenceServer,
  ReferenceServerOptions,
} from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { withResolvers } from '../../waiting.js';
import { control } from '../control-routes/support.js';
import { ManualClock } from '../support/manual-clock.js';
import { reply, startReceiver } from '../support/receiver.js';
import { field, notFound, phone, startServer } from '../support/reference.js';
import { resolving } from '../support/resolving.js';
import { openWorkspace } from '../support/subscribed.js';
import { causesIn, explained, explanationOf, namesIn } from './explained.js';

/** A workspace whose receiver responds to each delivery with the result of a function. */
async function responding(respond: () => Response | Promise<Response>, options: ReferenceServerOptions = {}) {
  const workspace = openWorkspace({ ...options, fetch: async () => respond() });
  const subscribed = await workspace.subscribe('https://app.example.com/hooks', ['message.received']);
  return { ...workspace, subscribed };
}

/** A workspace with a receiver that responds with 204 and one that responds with 401, each with its subscription. */
async function withTwoReceivers() {
  const workspace = openWorkspace({
    fetch: async (input) => new Response(null, { status: String(input).includes('healthy') ? 204 : 401 }),
  });
  const healthy = await workspace.subscribe('https://healthy.example.com/hooks', ['message.received']);
  const broken = await workspace.subscribe('https://broken.example.com/hooks', ['message.received']);
  return { ...workspace, healthy, broken };
}

/** Explains the last delivery to a subscription. */
async function explainedTo(server: ReferenceServer, subscriptionId: string): Promise<object> {
  const deliveries = await server.journal.deliveries();
  const own = deliveries.filter((delivery) => delivery.subscriptionId === subscriptionId);
  return server.deliveries.explain(own.at(-1)?.id ?? '');
}

const page = (text: string) => `<!DOCTYPE html><html><title>Error</title><pre>${text}</pre></html>`;

describe('a response', () => {
  test.each<[number, string, readonly string[]]>([
    [400, '', ['body_refused likely', 'wrong_secret possible', 'parsed_body possible']],
    [400, 'Invalid signature', ['wrong_secret likely', 'parsed_body possible']],
    [400, 'stream is not readable', ['parsed_body likely', 'body_refused likely', 'wrong_secret possible']],
    [
      400,
      'No signature matches. Payload must be provided as a string or a Buffer',
      ['parsed_body likely', 'wrong_secret likely'],
    ],
    [401, '', ['wrong_secret likely', 'parsed_body possible', 'access_denied possible']],
    [403, '', ['access_denied likely', 'wrong_secret possible', 'parsed_body possible']],
    [403, 'signature mismatch', ['wrong_secret likely', 'parsed_body possible', 'access_denied possible']],
    [404, '', ['not_found likely']],
    [404, page('Cannot POST /hooks'), ['not_found certain']],
    [404, '{"message":"Route POST:/hooks not found"}', ['not_found certain']],
    [405, '', ['not_found certain']],
    [413, '', ['too_large certain']],
    [415, '', ['media_type certain']],
    [418, 'teapot', ['refused certain']],
    [429, '', ['busy certain']],
    [500, '', ['receiver_failed likely', 'parsed_body likely']],
    [500, page('Error: no database'), ['receiver_failed likely']],
    [
      500,
      page('InternalServerError: stream is not readable'),
      ['parsed_body likely', 'receiver_failed likely'],
    ],
    [
      500,
      page('WebhookVerificationError: The signature is not right.'),
      ['wrong_secret likely', 'receiver_failed likely', 'parsed_body possible'],
    ],
    [502, '', ['unreachable likely']],
    [503, '', ['busy certain']],
  ])('of %i %j has the causes %j', async (status, text, causes) => {
    const { server } = await responding(() => new Response(text, { status }));
    expect(namesIn(await explained(server))).toEqual(causes);
  });

  test('of 500 is quoted as one line of text', async () => {
    const text = page(`Error: no &quot;${'x'.repeat(300)}<br> at index.js`);
    const { server } = await responding(() => new Response(text, { status: 500 }));
    const [cause] = causesIn(await explained(server));
    expect(cause?.explanation).toContain(`responded with 500, “Error: no "xxx`);
    expect(cause?.explanation).not.toContain('<');
    expect(cause?.explanation.length).toBeLessThan(260);
  });

  test.each([
    [401, ['parsed_body likely', 'wrong_secret possible', 'access_denied possible']],
    [500, ['receiver_failed likely', 'parsed_body possible']],
  ])('of %i from a receiver that acknowledged another delivery has the causes %j', async (status, causes) => {
    const statuses = [204, status];
    const { server } = await responding(() => new Response(null, { status: statuses.shift() ?? 0 }));
    expect(namesIn(await explained(server))).toEqual(['acknowledged certain']);
    expect(namesIn(await explained(server))).toEqual(causes);
  });

  test('of 401 is about a clock only if it says so', async () => {
    const texts = ['', 'The signature is not valid', 'The timestamp is too old'];
    const causes = [
      ['acknowledged certain'],
      ['parsed_body likely', 'wrong_secret possible', 'access_denied possible'],
      ['clock likely', 'parsed_body likely', 'wrong_secret possible', 'access_denied possible'],
    ];
    let count = 0;
    const { server } = await responding(
      () => new Response(texts[count], { status: count++ === 0 ? 200 : 401 }),
      { systemClock: new ManualClock(), now: '2026-01-03T00:00Z' },
    );
    for (const expected of causes) expect(namesIn(await explained(server))).toEqual(expected);
  });

  test.each([
    [400, '', ['clock likely', 'body_refused likely']],
    [400, 'data.orderId is required', ['body_refused likely', 'clock possible']],
    [400, 'Invalid signature', ['wrong_secret likely']],
    [400, 'The signature has expired', ['clock likely', 'wrong_secret likely']],
    [401, '', ['wrong_secret likely']],
    [403, '', ['access_denied likely']],
    [422, '', ['body_refused likely', 'clock possible']],
    [500, '', ['receiver_failed likely', 'parsed_body likely']],
    [500, page('Error: the timestamp is too old'), ['clock likely', 'receiver_failed likely']],
    [503, 'The session expired', ['busy certain']],
  ])('of %i %j, though the time of the workspace is another, has first %j', async (status, text, causes) => {
    const { server } = await responding(() => new Response(text, { status }), {
      systemClock: new ManualClock(),
      now: '2026-01-03T00:00Z',
    });
    const isFirstOrLikely = (name: string) =>
      !/^(wrong_secret|parsed_body|access_denied) possible/.test(name);
    expect(namesIn(await explained(server)).filter(isFirstOrLikely)).toEqual(causes);
  });

  test.each([429, 500, 503])('of %i speaks of a retry only while there is one', async (status) => {
    const { server } = await responding(() => new Response(null, { status }));
    const adviceOf = (explanation: object) => causesIn(explanation)[0]?.advice;
    expect(adviceOf(await explained(server))).toContain('The service retries');
    await server.clock.advance('10s');
    expect(adviceOf(await explanationOf(server))).toContain('The service retries');
    await server.clock.advance('1m');
    const last = await explanationOf(server);
    expect(field(last, 'status')).toBe('failed');
    expect(adviceOf(last)).toContain('This was the last attempt: redeliver the delivery');
    expect(JSON.stringify(last)).not.toMatch(/retr(y|ies)/);
  });

  test('of 401 does not speak for the secret because another receiver, or a fault, acknowledged', async () => {
    const { server, receive, broken } = await withTwoReceivers();
    await server.faults.add({
      delivery: 'any',
      subscriptionId: broken.id,
      fault: { kind: 'status', status: 204 },
      times: 1,
    });
    for (let count = 0; count < 2; count += 1) {
      await receive();
      await server.settled();
    }
    expect(namesIn(await explainedTo(server, broken.id))).toEqual([
      'wrong_secret likely',
      'parsed_body possible',
      'access_denied possible',
    ]);
  });

  test.each([
    [
      'https://app.example.com/again',
      'The redirect (302) could not be followed: the receiver redirected more than',
    ],
    ['ftp://app.example.com/', 'could not be followed: the receiver redirected to a URL that'],
  ])('of 302 to %s tells why a redirect could not be followed', async (Location, words) => {
    const { server } = await responding(() => new Response(null, { status: 302, headers: { Location } }), {
      specGaps: { receiverRedirect: 'follow' },
    });
    const [cause] = causesIn(await explained(server));
    expect(cause).toMatchObject({ cause: 'redirect', explanation: expect.stringContaining(words) });
    await server.specGaps.set({ receiverRedirect: 'fail' });
    expect(causesIn(await explained(server))[0]?.explanation).toBe(
      'The receiver responded with 302: a redirect, which the service does not follow.',
    );
  });

  test('of the last attempt is explained, with the number of failed attempts before', async () => {
    const statuses = [500, 404, 204, 204];
    const { server } = await responding(() => new Response(null, { status: statuses.shift() ?? 500 }));
    expect(namesIn(await explained(server))).toEqual(['receiver_failed likely', 'parsed_body likely']);
    await server.clock.advance('10s');
    expect(namesIn(await explanationOf(server))).toEqual(['not_found likely']);
    await server.clock.advance('1m');
    expect(causesIn(await explanationOf(server))[0]?.explanation).toBe(
      'The receiver responded with 204: it accepted the delivery, after 2 failed attempts.',
    );
    expect(causesIn(await explained(server))[0]?.explanation).toBe(
      'The receiver responded with 204: it accepted the delivery.',
    );
  });

  test('of 401 speaks for the secret if one of many other deliveries was acknowledged', async () => {
    const { server } = await responding(() => new Response(null, { status: 401 }));
    await explained(server);
    const { deliveries, ...others } = await server.snapshot();
    const [refused] = deliveries;
    const [attempt] = refused?.attempts ?? [];
    if (refused === undefined || attempt === undefined) throw new Error('Nothing was delivered.');
    const acknowledged = Array.from({ length: 1_001 }, (_, i) => {
      const { error: _error, ...responded } = { ...attempt, status: 204 };
      // A fault delayed all but the last.
      const faults = [{ kind: 'latency', duration: '1s' }] as const;
      const last = i === 1_000 ? responded : { ...responded, faults };
      return { ...refused, id: `delivery_${i}`, status: 'delivered' as const, attempts: [last] };
    });
    await server.restore({ ...others, deliveries: [...acknowledged, refused] });
    expect(namesIn(await server.deliveries.explain(refused.id))[0]).toBe('parsed_body likely');
  });
});

describe('an error', () => {
  test.each([
    ['getaddrinfo ENOTFOUND app.example.com', 'unreachable', 'The host name app.example.com has no address'],
    ['getaddrinfo EAI_AGAIN app.example.com', 'unreachable', 'has no address'],
    ['self-signed certificate', 'unreachable', 'does not trust the certificate'],
    ["Hostname/IP does not match certificate's altnames", 'unreachable', 'does not trust the certificate'],
    ['connect EHOSTUNREACH 10.1.2.3:443', 'unreachable', 'No response from app.example.com'],
  ])('%s is explained', async (message, name, words) => {
    const { server } = await responding(() => {
      throw new TypeError('fetch failed', { cause: new Error(message) });
    });
    expect(causesIn(await explained(server))).toMatchObject([
      { cause: name, certainty: 'certain', explanation: expect.stringContaining(words) },
    ]);
  });

  test('explains an address that is not allowed', async () => {
    resolving(['10.0.0.1']);
    const { server, subscribe } = openWorkspace({ receiverAddresses: 'public' });
    await subscribe('https://rebinding.example/hooks');
    expect(causesIn(await explained(server))).toMatchObject([
      {
        cause: 'address_refused',
        certainty: 'certain',
        explanation: expect.stringContaining('must resolve to a public address'),
      },
    ]);
  });
});

describe('a listener', () => {
  const url = 'http://localhost:3000/hooks';

  /** A delivery to a listener that reports this, explained. */
  async function reporting(report: ListenerResponse): Promise<object> {
    const server = startServer();
    const { id } = await server.listeners.create({ url, events: ['message.received'] });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    for await (const { attemptId } of server.listeners.attempts(id)) {
      await server.listeners.respond(id, attemptId, report);
      break;
    }
    await server.settled();
    return explanationOf(server);
  }

  test.each<[ListenerResponse, string, string]>([
    [{ error: 'nothing listens on port 3000' }, 'unreachable', 'Nothing listens on localhost:3000.'],
    [{ status: 404 }, 'not_found', 'no route for POST /hooks'],
    [{ status: 401 }, 'wrong_secret', 'it may have another secret'],
  ])('that reports %j is explained as its receiver', async (report, name, words) => {
    const [cause] = causesIn(await reporting(report));
    expect([cause?.cause, cause?.explanation]).toEqual([name, expect.stringContaining(words)]);
  });

  test('that is not connected must be started again', async () => {
    const machine = new ManualClock();
    const server = startServer({ systemClock: machine });
    await server.listeners.create({ url, events: ['message.received'] });
    const before = machine.waiting;
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    while (machine.waiting === before) await new Promise((resolve) => setImmediate(resolve));
    machine.pass(5_000);
    await server.settled();
    expect(causesIn(await explanationOf(server))).toMatchObject([
      {
        cause: 'unreachable',
        certainty: 'certain',
        explanation: expect.stringContaining('No `messaging-automation listen` was connected'),
      },
    ]);
  });
});

describe('an injected fault', () => {
  test.each<[DeliveryFault, number, string]>([
    [{ kind: 'status', status: 503 }, 204, 'responded with 503 instead of the receiver, which did not get'],
    [
      { kind: 'status', status: 503, when: 'after_receipt' },
      204,
      'responded with 503 instead of the receiver, which got',
    ],
    [{ kind: 'reset', when: 'after_receipt' }, 204, 'broke the connection to the receiver, which got'],
    [{ kind: 'tamper', part: 'body' }, 401, 'changed the body after signing'],
    [{ kind: 'malformed_json' }, 400, 'cut the body in half'],
    [{ kind: 'drift', change: 'remove', field: 'data' }, 400, 'changed the shape of the body'],
  ])('%j is the cause, with and without its rule', async (fault, status, words) => {
    const { url } = await startReceiver(reply(status));
    const { server, subscribe } = openWorkspace();
    await server.faults.add({ operation: 'any', fault: { kind: 'rate_limit' }, nth: 99 });
    await subscribe(url);
    await server.faults.add({ delivery: 'message.received', fault });
    const explanation = await explained(server);
    expect(causesIn(explanation)).toMatchObject([
      { cause: 'fault', certainty: 'certain', explanation: expect.stringContaining(`rule fault_2 ${words}`) },
    ]);
    await server.faults.clear();
    expect(causesIn(await explanationOf(server))[0]?.explanation).toContain(
      `An injected fault (${fault.kind}) ${words}`,
    );
  });

  test('that stalled the attempt is the cause', async () => {
    const { server, receive } = await responding(() => new Response());
    await server.faults.add({ delivery: 'any', fault: { kind: 'stall' } });
    await receive();
    await server.clock.advance('5s');
    expect(namesIn(await explanationOf(server))).toEqual(['fault certain']);
  });

  test.each<DeliveryFault>([{ kind: 'latency', duration: '1s' }, { kind: 'duplicate' }])(
    '%j is not the cause',
    async (fault) => {
      const { server, receive } = await responding(() => new Response(null, { status: 404 }));
      await server.faults.add({ delivery: 'any', fault });
      await receive();
      await server.clock.advance('1s');
      expect(namesIn(await explanationOf(server))).toEqual(['not_found likely']);
    },
  );

  test.each([
    [204, ['acknowledged certain']],
    [500, ['fault likely', 'receiver_failed likely', 'parsed_body likely']],
  ])('that changed a delivery that gets %i gives %j', async (status, causes) => {
    const { server } = await responding(() => new Response(null, { status }));
    await server.faults.add({ delivery: 'any', fault: { kind: 'tamper' } });
    expect(namesIn(await explained(server))).toEqual(causes);
  });

  test('is named by the rule of its own subscription', async () => {
    const { server, receive, healthy, broken } = await withTwoReceivers();
    for (const { id } of [healthy, broken])
      await server.faults.add({
        delivery: 'any',
        subscriptionId: id,
        fault: { kind: 'status', status: 503 },
      });
    await receive();
    await server.settled();
    const names = (await server.faults.list()).map(({ id }) => id);
    for (const [index, { id }] of [healthy, broken].entries()) {
      const [cause] = causesIn(await explainedTo(server, id));
      expect(cause?.explanation).toContain(`The fault rule ${names[index]} responded with 503`);
    }
  });

  test('that changed what a dead receiver never got is not the cause', async () => {
    const { server } = await responding(() => {
      throw new Error('connect ECONNREFUSED 127.0.0.1:1');
    });
    await server.faults.add({ delivery: 'any', fault: { kind: 'tamper' } });
    expect(namesIn(await explained(server))).toEqual(['unreachable certain']);
  });
});

describe('a delivery', () => {
  test('whose subscription was deleted is explained by that, without the secret', async () => {
    const { server, unsubscribe, subscribed } = await responding(() => new Response(null, { status: 503 }));
    await explained(server);
    await server.clock.advance('10s');
    await unsubscribe(subscribed);
    const explanation = await explanationOf(server);
    expect(namesIn(explanation)).toEqual(['subscription_gone certain']);
    expect(causesIn(explanation)[0]?.explanation).toContain('cancelled the delivery after 2 attempts');
    const signature = field(explanation, 'signature');
    expect(signature).toMatchObject({ sent: expect.any(String) });
    for (const name of ['computed', 'matches', 'secretEnding']) expect(signature).not.toHaveProperty(name);
  });

  test('without an attempt is running', async () => {
    const response = withResolvers<Response>();
    const { server, receive } = await responding(() => response.promise);
    await receive();
    expect(causesIn(await explanationOf(server))).toMatchObject([
      {
        cause: 'not_attempted',
        certainty: 'certain',
        explanation: 'The first attempt is running, or waits for a free connection.',
      },
    ]);
    response.resolve(new Response());
  });

  test('with an unknown id, or of another workspace, is not found', async () => {
    const server = startServer();
    expect(await control(server)('GET', '/deliveries/delivery_1/explanation')).toMatchObject(notFound);
    await expect(server.deliveries.explain('delivery_1')).rejects.toThrow('There is no such delivery');
    const { server: other } = await responding(() => new Response());
    await explained(other);
    const id = (await other.journal.deliveries())[0]?.id ?? '';
    await expect(other.workspace().deliveries.explain(id)).rejects.toThrow('There is no such delivery');
  });
});
