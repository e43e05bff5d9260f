import type { DeliveryFault, ListenerAnswer } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { control } from '../control-routes/support.js';
import { ManualClock } from '../support/manual-clock.js';
import { answer, startReceiver } from '../support/receiver.js';
import { field, phone, refusal, startServer } from '../support/reference.js';
import { openWorkspace } from '../support/subscribed.js';
import { causesIn, explained, explanationOf, namesIn } from './explained.js';

/** A workspace whose only receiver meets each delivery so. */
async function meeting(meet: () => Response | Promise<Response>) {
  const workspace = openWorkspace({ fetch: async () => meet() });
  const subscribed = await workspace.subscribe('https://app.example.com/hooks', ['message.received']);
  return { ...workspace, subscribed };
}

const page = (text: string) => `<!DOCTYPE html><html><title>Error</title><pre>${text}</pre></html>`;

describe('an answer', () => {
  test.each<[number, string, readonly string[]]>([
    [400, '', ['body_refused likely', 'wrong_secret possible', 'parsed_body possible']],
    [400, 'Invalid signature', ['wrong_secret likely', 'parsed_body possible']],
    [401, '', ['wrong_secret likely', 'parsed_body possible', 'access_denied possible']],
    [403, '', ['access_denied likely', 'wrong_secret possible', 'parsed_body possible']],
    [403, 'signature mismatch', ['wrong_secret likely', 'parsed_body possible', 'access_denied possible']],
    [404, '', ['not_found likely']],
    [404, page('Cannot POST /hooks'), ['not_found certain']],
    [404, '{"message":"Route POST:/hooks not found"}', ['not_found certain']],
    [405, '', ['not_found certain']],
    [410, 'gone', ['not_found likely']],
    [413, '', ['too_large certain']],
    [415, '', ['media_type certain']],
    [418, 'teapot', ['refused certain']],
    [422, '', ['body_refused likely', 'wrong_secret possible', 'parsed_body possible']],
    [429, '', ['busy certain']],
    [500, '', ['parsed_body likely', 'receiver_failed likely']],
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
    [504, '', ['unreachable likely']],
  ])('of %i %j comes of %j', async (status, text, causes) => {
    const { server } = await meeting(() => new Response(text, { status }));
    expect(namesIn(await explained(server))).toEqual(causes);
  });

  test('of 500 is quoted as one line of text', async () => {
    const text = page(`Error: no &quot;${'x'.repeat(300)}<br> at index.js`);
    const { server } = await meeting(() => new Response(text, { status: 500 }));
    const [cause] = causesIn(await explained(server));
    expect(cause?.explanation).toContain(`answered 500, “Error: no "xxx`);
    expect(cause?.explanation).not.toContain('<');
    expect(cause?.explanation.length).toBeLessThan(260);
  });

  test('of 401 from a receiver that acknowledged another delivery speaks for its secret', async () => {
    const statuses = [204, 401];
    const { server } = await meeting(() => new Response(null, { status: statuses.shift() ?? 401 }));
    expect(namesIn(await explained(server))).toEqual(['acknowledged certain']);
    expect(namesIn(await explained(server))).toEqual([
      'parsed_body likely',
      'wrong_secret possible',
      'access_denied possible',
    ]);
  });

  test('of 500 from a receiver that acknowledged another delivery speaks for its handler', async () => {
    const statuses = [204, 500];
    const { server } = await meeting(() => new Response(null, { status: statuses.shift() ?? 500 }));
    await explained(server);
    expect(namesIn(await explained(server))).toEqual(['receiver_failed likely', 'parsed_body possible']);
  });

  test('of 401 names another subscription with the same URL', async () => {
    const { server, subscribe } = await meeting(() => new Response(null, { status: 401 }));
    const other = await subscribe('https://app.example.com/hooks', ['contact.opted_in']);
    const [cause] = causesIn(await explained(server));
    expect(cause?.explanation).toContain(`${other.id} delivers to the same URL`);
    expect(cause?.explanation).toContain(`…${other.secret.slice(-4)}`);
  });
});

describe('an error', () => {
  test.each([
    ['connect ECONNREFUSED 127.0.0.1:3000', 'unreachable', 'Nothing listens on app.example.com'],
    ['getaddrinfo ENOTFOUND app.example.com', 'unreachable', 'The host name app.example.com has no address'],
    ['getaddrinfo EAI_AGAIN app.example.com', 'unreachable', 'has no address'],
    ['self-signed certificate', 'unreachable', 'does not trust the certificate'],
    ["Hostname/IP does not match certificate's altnames", 'unreachable', 'does not trust the certificate'],
    ['write EPROTO 00: error: wrong version number', 'unreachable', 'does not use TLS'],
    ['read ECONNRESET', 'broken_answer', 'closed the connection before it answered'],
    ['connect EHOSTUNREACH 10.1.2.3:443', 'unreachable', 'No answer came from app.example.com'],
  ])('%s is told', async (message, name, words) => {
    const { server } = await meeting(() => {
      throw new TypeError('fetch failed', { cause: new Error(message) });
    });
    expect(causesIn(await explained(server))).toMatchObject([
      { cause: name, certainty: 'certain', explanation: expect.stringContaining(words) },
    ]);
  });

  test('tells of an address that is not allowed', async () => {
    const { server, subscribe } = openWorkspace({ receiverAddresses: 'any' });
    await subscribe('http://10.0.0.1:1/hooks');
    const state = await server.state();
    expect(state.workspaces).toHaveLength(1);
    const strict = startServer({ receiverAddresses: 'loopback', fetch: undefined });
    await strict.restore(await server.snapshot());
    expect(causesIn(await explained(strict))).toMatchObject([
      {
        cause: 'address_refused',
        certainty: 'certain',
        explanation: expect.stringContaining('must lead to a public address'),
      },
    ]);
  });
});

describe('a listener', () => {
  const url = 'http://localhost:3000/hooks';

  /** A delivery to a listener that reports this, explained. */
  async function reporting(report: ListenerAnswer): Promise<object> {
    const server = startServer();
    const { id } = await server.listeners.create({ url, events: ['message.received'] });
    await server.simulate.inboundMessage({ phone, body: 'Hello' });
    for await (const { attemptId } of server.listeners.attempts(id)) {
      await server.listeners.answer(id, attemptId, report);
      break;
    }
    await server.settled();
    return explanationOf(server);
  }

  test.each<[ListenerAnswer, string, string]>([
    [{ error: 'nothing listens on port 3000' }, 'unreachable', 'Nothing listens on localhost:3000.'],
    [{ error: 'connect ECONNREFUSED ::1:3000' }, 'unreachable', 'Nothing listens on localhost:3000.'],
    [{ status: 404 }, 'not_found', 'no route for POST /hooks'],
    [{ status: 401 }, 'wrong_secret', 'as a receiver with another secret does'],
    [{ status: 200, answer: '' }, 'acknowledged', 'answered 200'],
  ])('that reports %j is explained as its receiver', async (report, name, words) => {
    const [cause] = causesIn(await reporting(report));
    expect([cause?.cause, cause?.explanation]).toEqual([name, expect.stringContaining(words)]);
  });

  test('that is not connected is to be started again', async () => {
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
    [{ kind: 'status', status: 503 }, 204, 'answered 503 instead of the receiver, which did not get'],
    [
      { kind: 'status', status: 503, when: 'after_receipt' },
      204,
      'answered 503 instead of the receiver, which got',
    ],
    [{ kind: 'status', status: 204 }, 401, 'answered 204 instead of the receiver'],
    [{ kind: 'reset', when: 'after_receipt' }, 204, 'broke the connection to the receiver, which got'],
    [{ kind: 'tamper' }, 401, 'changed the signature after signing'],
    [{ kind: 'tamper', part: 'body' }, 401, 'changed the body after signing'],
    [{ kind: 'malformed_json' }, 400, 'cut the body in half'],
    [{ kind: 'drift', change: 'remove', field: 'data' }, 400, 'changed the shape of the body'],
  ])('of %j did it', async (fault, status, words) => {
    const { url } = await startReceiver(answer(status));
    const { server, subscribe } = openWorkspace();
    server.faults.add({ operation: 'any', fault: { kind: 'rate_limit' }, nth: 99 });
    await subscribe(url);
    server.faults.add({ delivery: 'message.received', fault });
    const explanation = await explained(server);
    expect(causesIn(explanation)).toMatchObject([
      { cause: 'fault', certainty: 'certain', explanation: expect.stringContaining(`rule fault_2 ${words}`) },
    ]);
    server.faults.clear();
    expect(causesIn(await explanationOf(server))[0]?.explanation).toContain(
      `An injected fault (${fault.kind}) ${words}`,
    );
  });

  test('that the attempt ran into by the clock did it', async () => {
    const { server, receive } = await meeting(() => new Response());
    server.faults.add({ delivery: 'any', fault: { kind: 'stall' } });
    await receive();
    await server.clock.advance('5s');
    expect(namesIn(await explanationOf(server))).toEqual(['fault certain']);
  });

  test.each<DeliveryFault>([{ kind: 'latency', duration: '1s' }, { kind: 'duplicate' }])(
    'of %j does not explain what the receiver says',
    async (fault) => {
      const { server, receive } = await meeting(() => new Response(null, { status: 404 }));
      server.faults.add({ delivery: 'any', fault });
      await receive();
      await server.clock.advance('1s');
      expect(namesIn(await explanationOf(server))).toEqual(['not_found likely']);
    },
  );

  test('that changed what a dead receiver never got is not the cause', async () => {
    const { server } = await meeting(() => {
      throw new Error('connect ECONNREFUSED 127.0.0.1:1');
    });
    server.faults.add({ delivery: 'any', fault: { kind: 'tamper' } });
    expect(namesIn(await explained(server))).toEqual(['unreachable certain']);
  });
});

describe('a delivery', () => {
  test('whose subscription was deleted says so, and has no secret', async () => {
    const { server, unsubscribe, subscribed } = await meeting(() => new Response(null, { status: 503 }));
    await explained(server);
    await unsubscribe(subscribed);
    const explanation = await explanationOf(server);
    expect(namesIn(explanation)).toEqual(['subscription_gone certain']);
    const signature = field(explanation, 'signature');
    expect(signature).toMatchObject({ sent: expect.any(String) });
    for (const name of ['computed', 'matches', 'secretEnding']) expect(signature).not.toHaveProperty(name);
  });

  test('that failed before its subscription was deleted says why', async () => {
    const { server, unsubscribe, subscribed } = await meeting(() => new Response(null, { status: 401 }));
    await explained(server);
    await server.clock.runToIdle();
    await unsubscribe(subscribed);
    expect(namesIn(await explanationOf(server))[0]).toBe('wrong_secret likely');
  });

  test('without an attempt says when it is due', async () => {
    const server = startServer({ now: '2026-01-01T00:00Z' });
    const snapshot = await (async () => {
      const {
        server: other,
        subscribe,
        receive,
      } = openWorkspace({
        now: '2026-01-01T00:00Z',
        fetch: () => new Promise(() => {}),
      });
      await subscribe('https://app.example.com/hooks');
      await receive();
      return other.state();
    })();
    const [delivery] = snapshot.workspaces[0].deliveries;
    expect(delivery).toMatchObject({ status: 'pending', attempts: [] });
    const {
      apiKeyDigests: _,
      clock: __,
      specGaps: ___,
      faults: ____,
      beginning: _____,
      ...state
    } = snapshot.workspaces[0];
    await server.restore({
      version: 1,
      takenAt: '2026-01-01T00:00:00.000Z',
      ...state,
      deliveries: state.deliveries.map((each) => ({ ...each, dueAt: Date.UTC(2026, 0, 2) })),
    });
    expect(causesIn(await explanationOf(server))).toMatchObject([
      {
        cause: 'not_attempted',
        certainty: 'certain',
        explanation: expect.stringContaining('2026-01-02T00:00:00.000Z'),
      },
    ]);
  });

  test('that nobody knows is not found', async () => {
    const server = startServer();
    const { status, body } = await control(server)('GET', '/deliveries/delivery_1/explanation');
    expect([status, body]).toEqual([404, refusal('not_found')]);
    await expect(server.deliveries.explain('delivery_1')).rejects.toThrow('There is no such delivery');
  });

  test('of another workspace is not found', async () => {
    const { server } = await meeting(() => new Response());
    await explained(server);
    const id = (await server.journal.deliveries())[0]?.id ?? '';
    await expect(server.workspace().deliveries.explain(id)).rejects.toThrow('There is no such delivery');
  });
});
