import { once } from 'node:events';
import { getDefaultAutoSelectFamily, type Socket, setDefaultAutoSelectFamily } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { attemptsBy, type DeliveryAttempt } from '../../../src/server/deliveries/attempts.js';
import { NodeSender } from '../../../src/server/deliveries/node-sender.js';
import {
  createFetchSender,
  type OutgoingAttempt,
  type Sender,
} from '../../../src/server/deliveries/sender.js';
import { settle, until, within } from '../../waiting.js';
import { ManualClock } from '../support/manual-clock.js';
import { startPort } from '../support/port.js';
import { type Behaviour, hang, reply, startReceiver } from '../support/receiver.js';
import { resolving } from '../support/resolving.js';

const start = Date.UTC(2026, 0, 1);
const body = new TextEncoder().encode('{"event":"Grüße"}');

const senders = {
  "Node's own HTTP": () => new NodeSender('loopback'),
  fetch: () => createFetchSender(fetch, 'loopback'),
};

type CreateSender = () => Sender;

/** The delivery that is attempted, of which a sender sees nothing. */
const attempted: Pick<DeliveryAttempt, 'delivery' | 'secret'> = {
  secret: 'whsec_1',
  delivery: {
    ...{ id: 'd1', subscriptionId: 's1', event: 'message.received', url: 'http://127.0.0.1:1/', body },
    ...{ status: 'pending', attempts: [], createdAt: start },
  },
};

/** A sender, and a function that sends one attempt with it. */
function startSender(createSender: CreateSender = senders["Node's own HTTP"]) {
  const clock = new ManualClock();
  const sender = attemptsBy(createSender(), clock, 5_000);
  onTestFinished(() => sender.close());
  const send = (url: string, redirects: OutgoingAttempt['redirects'] = 'fail') =>
    sender.make({ ...attempted, url, body, signature: 'ab12', redirects });
  return { clock, sender, send };
}

const redirect =
  (location: string | undefined, status = 307): Behaviour =>
  (response) => {
    response.writeHead(status, location === undefined ? {} : { Location: location }).end();
  };

describe.each(Object.entries(senders))('by %s', (_, createSender) => {
  describe('a closed sender', () => {
    test('sends nothing more, and leaves no timer', async () => {
      const receiver = await startReceiver();
      const { clock, sender, send } = startSender(createSender);
      expect(await send(receiver.url)).toMatchObject({ status: 200, responseBody: '' });
      sender.close();
      const refused = await send(receiver.url);
      expect(refused).toMatchObject({ error: 'the server was closed' });
      expect(refused).not.toHaveProperty('status');
      expect(receiver.received).toHaveLength(1);
      expect(clock.waiting).toBe(0);
    });

    test('ends the running attempt, and not one that is over', async () => {
      const receiver = await startReceiver(reply(204), hang);
      const { clock, sender, send } = startSender(createSender);
      expect(await send(receiver.url)).toMatchObject({ status: 204, responseBody: '' });
      const running = send(receiver.url);
      await receiver.arrived(2);
      sender.close();
      expect(await running).toMatchObject({ error: 'the server was closed' });
      expect(await running).not.toHaveProperty('status');
      expect(clock.waiting).toBe(0);
    });
  });

  describe('a response', () => {
    /** Sends to a receiver that writes these chunks and never ends. */
    async function responseOf(...chunks: readonly (string | Buffer)[]) {
      const receiver = await startReceiver((response) => {
        const write = ([chunk, ...others]: readonly (string | Buffer)[]) => {
          if (chunk !== undefined) response.write(chunk, () => setImmediate(write, others));
        };
        write(chunks);
      });
      return startSender(createSender).send(receiver.url);
    }

    test('is read up to 4,096 bytes', async () => {
      const text = 'x'.repeat(4_096);
      expect(await responseOf(text)).toMatchObject({ status: 200, responseBody: text });
      expect(await responseOf('x'.repeat(3_000), 'x'.repeat(3_000))).toMatchObject({ responseBody: text });
    });

    test('can come in chunks that cut a character', async () => {
      const [hand, rest] = [Buffer.from('👋'), 'x'.repeat(4_092)];
      const chunks = [hand.subarray(0, 1), hand.subarray(1, 3), hand.subarray(3), rest];
      expect((await responseOf(...chunks)).responseBody).toBe(`👋${rest}`);
    });

    /** Sends to a receiver that responds with this body, and this announced length. */
    async function wholeResponse(body: string | Buffer, length?: number) {
      const receiver = await startReceiver((response) => {
        if (length === undefined) response.write(body, () => response.end());
        else response.writeHead(500, { 'Content-Length': length }).end(body);
      });
      return startSender(createSender).send(receiver.url);
    }

    test('is kept as text, with its length if that is known', async () => {
      const cut = await responseOf(`${'x'.repeat(4_095)}é and more`);
      expect(cut.responseBody).toBe('x'.repeat(4_095));
      expect(cut).not.toHaveProperty('responseBodyBase64');
      expect(cut).not.toHaveProperty('responseBodyLength');
      const whole = await wholeResponse('\ufeffGrüße');
      expect(whole).toMatchObject({ responseBody: '\ufeffGrüße', responseBodyLength: 10 });
      expect(whole).not.toHaveProperty('responseBodyBase64');
      const announced = await wholeResponse('y'.repeat(9_000), 9_000);
      expect(announced).toMatchObject({ responseBody: 'y'.repeat(4_096), responseBodyLength: 9_000 });
    });

    test('is kept as bytes where it is no text', async () => {
      const bytes = Buffer.from([0x6f, 0xff, 0x00, 0xc3]);
      expect(await wholeResponse(bytes)).toMatchObject({
        responseBody: 'o\ufffd\0\ufffd',
        responseBodyBase64: bytes.toString('base64'),
        responseBodyLength: 4,
      });
    });

    test('is kept with its headers, up to 4,096 characters of them', async () => {
      const receiver = await startReceiver((response) => {
        response.setHeader('Set-Cookie', ['a=1', 'b=2']);
        response.setHeader('X-Long', 'z'.repeat(4_096));
        response.writeHead(503, { 'X-Last': 'ü' }).end();
      });
      const { headers = [] } = await startSender(createSender).send(receiver.url);
      const lower = headers.map(([name, value]) => [name.toLowerCase(), value]);
      expect(lower).toEqual(
        expect.arrayContaining([
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
        ]),
      );
      expect(JSON.stringify(headers).length).toBeLessThan(5_000);
      expect(lower).not.toContainEqual(expect.arrayContaining(['x-long']));
    });

    test('that breaks off is kept as far as it came', async () => {
      const { url } = await startPort((socket) =>
        socket.end('HTTP/1.1 500 Oh\r\nContent-Length: 100\r\nX-Half: yes\r\n\r\nhalf'),
      );
      const result = await startSender(createSender).send(url);
      expect(result).toMatchObject({
        status: 500,
        responseBody: 'half',
        responseBodyLength: 100,
        responseInterrupted: true,
      });
      expect(result.headers).toContainEqual([expect.stringMatching(/^x-half$/i), 'yes']);
    });
  });

  describe('the clocks of an attempt', () => {
    /** Sends to a receiver that responds after so many milliseconds of the machine's clock. */
    async function sentTo(behave: Behaviour, duration = 70) {
      const { clock, send } = startSender(createSender);
      const receiver = await startReceiver((response) => {
        clock.pass(duration);
        behave(response);
      });
      return send(receiver.url);
    }
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
    const receiverTime = Date.UTC(1994, 10, 6, 8, 49, 37);

    test("say when it was sent and how long it took, by the machine's clock", async () => {
      const times = { machineTime: start, duration: 70 };
      expect(await sentTo(reply(204))).toMatchObject({ ...times, status: 204 });
      expect(await sentTo((response) => response.destroy())).toMatchObject({
        ...times,
        error: expect.any(String),
      });
    });

    test('say that it took no time if the machine’s clock was set back', async () => {
      expect(await sentTo(reply(204), -70)).toMatchObject({ machineTime: start, duration: 0 });
    });

    test('say the time of the receiver, also if the response breaks off', async () => {
      const whole: Behaviour = (response) => response.writeHead(204, { Date: date }).end();
      expect(await sentTo(whole)).toMatchObject({ receiverTime });
      const broken: Behaviour = (response) => {
        response.writeHead(200, { Date: date, 'Content-Length': 9 });
        response.write('abc', () => response.destroy());
      };
      expect(await sentTo(broken)).toMatchObject({ status: 200, receiverTime, error: expect.any(String) });
    });

    test.each(['tomorrow', '0', '2026-01-01', 'Sun, 06 Nov 1994 28:49:37 GMT'])(
      'do not take %s for a time of the receiver',
      async (invalid) => {
        const result = await sentTo((response) => response.writeHead(204, { Date: invalid }).end());
        expect(result).not.toHaveProperty('receiverTime');
      },
    );
  });

  describe('a redirect', () => {
    test('is a failure unless it is to be followed, and without a location in any case', async () => {
      for (const [redirects, location] of [['fail', '/elsewhere'] as const, ['follow', undefined] as const]) {
        const receiver = await startReceiver(redirect(location));
        const result = await startSender(createSender).send(receiver.url, redirects);
        expect(result).toMatchObject({ status: 307, error: 'the receiver responded with 307' });
        expect(receiver.received).toHaveLength(1);
      }
    });

    test.each([301, 302, 303, 307, 308])(
      'with %i is followed as a POST of the same bytes with the same signature',
      async (status) => {
        const receiver = await startReceiver(redirect('elsewhere?a=1', status), (response) => {
          response.writeHead(200).end('thanks');
        });
        const result = await startSender(createSender).send(receiver.url, 'follow');
        const redirectedTo = new URL('/elsewhere?a=1', receiver.url).href;
        expect(result).toMatchObject({ status: 200, responseBody: 'thanks', redirectedTo });
        const headers = { 'x-service-signature': 'ab12', 'content-type': 'application/json' };
        expect(receiver.received).toMatchObject([
          { method: 'POST', path: '/hooks', headers },
          { method: 'POST', path: '/elsewhere?a=1', headers },
        ]);
        for (const received of receiver.received) expect(new Uint8Array(received.body)).toEqual(body);
      },
    );

    test('is followed after more headers than an attempt keeps', async () => {
      const receiver = await startReceiver(
        (response) => response.setHeader('A-Long', 'z'.repeat(4_096)) && redirect('/elsewhere')(response),
        (response) => response.writeHead(200).end(),
      );
      const result = await startSender(createSender).send(receiver.url, 'follow');
      expect(result).toMatchObject({ status: 200, redirectedTo: new URL('/elsewhere', receiver.url).href });
    });

    test.each([
      ['https://10.0.0.1/', /a URL that must resolve to a public address$/],
      ['https://[::ffff:169.254.169.254]/', /a URL that must resolve to a public address$/],
      ['http://example.com/', /a URL that must begin with https:/],
      ['https://user:word@example.com/', /a URL that must not contain a user name/],
      ['file:///etc/hosts', /a URL that must begin with https:/],
      ['http://[', /no URL$/],
    ])('to %s is not followed', async (location, words) => {
      const receiver = await startReceiver(redirect(location));
      const { error, status } = await startSender(createSender).send(receiver.url, 'follow');
      expect(status).toBe(307);
      expect(error).toMatch(/^the receiver redirected to /);
      expect(error).toMatch(words);
      expect(receiver.received).toHaveLength(1);
    });

    test('is followed three times at most', async () => {
      const receiver = await startReceiver(redirect('/hooks'));
      const result = await startSender(createSender).send(receiver.url, 'follow');
      expect(result).toMatchObject({ status: 307, error: 'the receiver redirected more than 3 times' });
      expect(receiver.received).toHaveLength(4);
    });

    test('gives an attempt no more time', async () => {
      const { clock, send } = startSender(createSender);
      const slow: Behaviour = (response) => {
        clock.pass(3_000);
        redirect('/elsewhere')(response);
      };
      const receiver = await startReceiver(slow, hang);
      const result = send(receiver.url, 'follow');
      await receiver.arrived(2);
      clock.pass(1_999);
      expect(clock.waiting).toBe(1);
      clock.pass(1);
      expect(await result).toMatchObject({ error: 'no complete response within 5 s', duration: 5_000 });
      expect(clock.waiting).toBe(0);
    });
  });
});

const url = 'http://127.0.0.1:1/';

test.each([
  ['never responds', () => new Promise<Response>(() => {}), {}],
  [
    'never ends its response',
    async () => new Response(new ReadableStream({})),
    { status: 200, headers: [], responseBody: '', responseInterrupted: true },
  ],
])('a fetch that ignores its signal and %s ends in time', async (_, ignoring, head) => {
  const { clock, sender, send } = startSender(() => createFetchSender(ignoring, 'loopback'));
  const late = send(url);
  await new Promise(setImmediate);
  clock.pass(5_000);
  const times = { machineTime: start, duration: 5_000 };
  expect(await late).toEqual({ ...head, ...times, error: 'no complete response within 5 s' });

  const closed = send(url);
  await new Promise(setImmediate);
  sender.close();
  expect(await closed).toMatchObject({ ...head, error: 'the server was closed' });
});

describe("Node's own HTTP", () => {
  const acknowledge = (socket: Socket) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n');

  test('keeps a connection for the next attempt, and ends it when the sender is closed', async () => {
    const { url, connections } = await startPort(acknowledge);
    const { sender, send } = startSender();
    for (let attempt = 0; attempt < 3; attempt += 1) expect(await send(url)).toMatchObject({ status: 204 });
    expect(connections).toHaveLength(1);
    const ended = connections.map((connection) => once(connection, 'close'));
    sender.close();
    await Promise.all(ended);
  });

  test('speaks TLS to an https URL', async () => {
    const received: Buffer[] = [];
    const { port } = await startPort((socket, data) => {
      received.push(data);
      socket.destroy();
    });
    const { error } = await startSender().send(`https://127.0.0.1:${port}/hooks`);
    expect(error).toMatch(/^no response: /);
    // A handshake, and its version.
    expect([...(received[0] ?? [])].slice(0, 2)).toEqual([0x16, 0x03]);
  });

  test.each([
    ['no response', '', undefined],
    ['response interrupted', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', 200],
  ])('says how far a response came: %s', async (words, sent, status) => {
    const { url } = await startPort((socket) => socket.end(sent));
    const { clock, send } = startSender();
    const result = await send(url);
    expect(result.status).toBe(status);
    expect(result.error).toMatch(new RegExp(`^${words}: \\w+`));
    expect(clock.waiting).toBe(0);
  });

  test.each(['http://[fd00::1]:1/', 'http://10.0.0.1:1/'])('does not connect to %s', async (url) => {
    const error = "the receiver's address must resolve to a public address";
    expect(await startSender().send(url)).toMatchObject({ error });
  });

  test.each([
    ['is unknown', new Error('getaddrinfo ENOTFOUND receiver.localhost'), 'getaddrinfo ENOTFOUND'],
    ['has no address', [], "the receiver's address is not known"],
  ])('says that a name %s', async (_, found, words) => {
    resolving(found);
    expect(await startSender().send('http://receiver.localhost:1/hooks')).toMatchObject({
      error: expect.stringContaining(words),
    });
  });

  test('connects to a name also if Node asks for one address alone', async () => {
    const before = getDefaultAutoSelectFamily();
    onTestFinished(() => setDefaultAutoSelectFamily(before));
    setDefaultAutoSelectFamily(false);
    const { port, received } = await startReceiver();
    resolving(['127.0.0.1']);
    const result = await startSender().send(`http://receiver.localhost:${port}/hooks`);
    expect(result).toMatchObject({ status: 200 });
    expect(received).toHaveLength(1);
  });
});

/** What a receiver writes to the socket, byte for byte. Each of them makes an attempt fail at once. */
const misbehaviours: Readonly<Record<string, (socket: Socket) => void>> = {
  'responds with 101 and speaks another protocol': (socket) =>
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x00',
    ),
  'closes without a byte': (socket) => socket.end(),
  'resets without a byte': (socket) => socket.resetAndDestroy(),
  'resets within the status': (socket) => socket.write('HTTP/1.1 20', () => socket.resetAndDestroy()),
  'resets within the body': (socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab', () => socket.resetAndDestroy()),
  'closes after early hints': (socket) => socket.end('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
  'writes what is not HTTP': (socket) => socket.write('220 mail.example.com ESMTP\r\n'),
  'writes a chunk that is no number': (socket) =>
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'),
  'writes a head without end': (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(100_000)}`),
};

/** What never ends by itself. */
const endless: Readonly<Record<string, (socket: Socket) => void>> = {
  'never responds': () => {},
  'sends 100 Continue again and again': (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)),
  'never ends its head': (socket) => socket.write('HTTP/1.1 200 OK\r\nX-Slow: a'),
  'never ends its body': (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'),
};

describe.each(Object.entries(senders))('an attempt by %s to a receiver that', (_, createSender) => {
  test.each(Object.entries(misbehaviours))('%s fails at once', async (_, behave) => {
    const { url } = await startPort(behave);
    const { clock, send } = startSender(createSender);
    const result = await within('the end of the attempt', send(url));

    expect(result.error).toMatch(
      /^(no response|response interrupted|the receiver responded|fetch failed|\w)/,
    );
    expect(clock.waiting).toBe(0);
  });

  // fetch does not wait after a 100, for which it never asked.
  const waitedFor = Object.entries(endless).filter(
    ([name]) => createSender !== senders.fetch || !name.startsWith('sends 100'),
  );
  test.each(waitedFor)('%s fails at its deadline', async (_, behave) => {
    let requests = 0;
    const { url } = await startPort((socket) => {
      behave(socket);
      requests += 1;
    });
    const { clock, send } = startSender(createSender);
    const result = send(url);
    await until('the request', () => requests > 0);
    await settle();
    clock.pass(4_999);
    expect(clock.waiting).toBe(1);
    clock.pass(1);

    expect(await within('the end of the attempt', result)).toMatchObject({
      error: 'no complete response within 5 s',
      duration: 5_000,
    });
    expect(clock.waiting).toBe(0);
  });
});

test('an attempt ends though its sender obeys no signal, at its deadline and when the server closes', async () => {
  const { clock, sender, send } = startSender(() => ({ send: () => new Promise(() => {}), close() {} }));
  const late = send('http://127.0.0.1:1/');
  clock.pass(5_000);
  clock.pass(100);
  expect(await within('the deadline', late)).toMatchObject({ error: 'no complete response within 5 s' });
  const running = send('http://127.0.0.1:1/');
  sender.close();
  clock.pass(100);
  expect(await within('the close', running)).toMatchObject({ error: 'the server was closed' });
});

test('an attempt fails where its sender throws', async () => {
  const { send } = startSender(() => ({
    send: () => Promise.reject(new Error('a fault of ours')),
    close() {},
  }));
  expect(await send('http://127.0.0.1:1/')).toMatchObject({ error: 'a fault of ours' });
});
