import dns from 'node:dns';
import { once } from 'node:events';
import { getDefaultAutoSelectFamily, type Socket, setDefaultAutoSelectFamily } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { NodeSender } from '../../../src/server/deliveries/node-sender.js';
import { ManualClock } from '../support/manual-clock.js';
import { startPort } from '../support/port.js';
import { startReceiver } from '../support/receiver.js';

function startSender() {
  const clock = new ManualClock();
  const sender = new NodeSender({ clock, timeout: 5_000, receiverAddresses: 'loopback' });
  onTestFinished(() => sender.close());
  const body = new Uint8Array([1, 2, 3]);
  const send = (url: string) => sender.send({ url, body, signature: 'ab', redirects: 'fail' });
  return { clock, sender, send };
}

const acknowledge = (socket: Socket) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n');

describe('a connection', () => {
  test('is kept for the next attempt, and ends when the sender is closed', async () => {
    const { url, connections } = await startPort(acknowledge);
    const { sender, send } = startSender();
    for (let attempt = 0; attempt < 3; attempt += 1) expect(await send(url)).toMatchObject({ status: 204 });
    expect(connections).toHaveLength(1);
    const ended = connections.map((connection) => once(connection, 'close'));
    sender.close();
    await Promise.all(ended);
  });

  test('to an https URL speaks TLS', async () => {
    const received: Buffer[] = [];
    const { port } = await startPort((socket, data) => {
      received.push(data);
      socket.destroy();
    });
    const { error } = await startSender().send(`https://127.0.0.1:${port}/hooks`);
    expect(error).toMatch(/^no answer came: /);
    // A handshake, and its version.
    expect([...(received[0] ?? [])].slice(0, 2)).toEqual([0x16, 0x03]);
  });
});

describe('an attempt without a whole answer', () => {
  test.each([
    ['no answer came', '', undefined],
    ['the answer broke off', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', 200],
  ])('says how far it came: %s', async (words, answer, status) => {
    const { url } = await startPort((socket) => socket.end(answer));
    const { clock, send } = startSender();
    const result = await send(url);
    expect(result.status).toBe(status);
    expect(result.error).toMatch(new RegExp(`^${words}: \\w+`));
    expect(clock.waiting).toBe(0);
  });
});

test.each(['http://[fd00::1]:1/', 'http://10.0.0.1:1/'])(
  'an inner address is not connected to, where the URL holds it: %s',
  async (url) => {
    expect(await startSender().send(url)).toMatchObject({
      error: "the receiver's address must lead to a public address",
    });
  },
);

describe('a name', () => {
  function resolving(error: Error | null, ...addresses: readonly string[]): void {
    const spy = vi.spyOn(dns, 'lookup').mockImplementation((...given: readonly unknown[]) => {
      const callback = given.at(-1);
      const found = addresses.map((address) => ({ address, family: 4 }));
      if (typeof callback === 'function') callback(error, error === null ? found : undefined);
    });
    onTestFinished(() => spy.mockRestore());
  }

  test.each([
    ['that nobody knows', new Error('getaddrinfo ENOTFOUND receiver.localhost'), 'getaddrinfo ENOTFOUND'],
    ['without an address', null, "the receiver's address is not known"],
  ])('%s is told', async (_, error, words) => {
    resolving(error);
    expect(await startSender().send('http://receiver.localhost:1/hooks')).toMatchObject({
      error: expect.stringContaining(words),
    });
  });

  test('is connected to where Node asks for one address alone', async () => {
    const before = getDefaultAutoSelectFamily();
    onTestFinished(() => setDefaultAutoSelectFamily(before));
    setDefaultAutoSelectFamily(false);
    const { port, received } = await startReceiver();
    resolving(null, '127.0.0.1');
    expect(await startSender().send(`http://receiver.localhost:${port}/hooks`)).toMatchObject({
      status: 200,
    });
    expect(received).toHaveLength(1);
  });
});
