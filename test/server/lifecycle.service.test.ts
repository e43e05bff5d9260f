import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { bundle } from '../run/bundle.js';
import { phone } from './support/reference.js';

test('a closed server leaves nothing that keeps the process alive', async () => {
  const program = `
    import { once } from 'node:events';
    import { createServer } from 'node:http';
    import { createReferenceServer } from './src/server/index.ts';
    const receiver = createServer((request, response) => {
      if (request.url === '/hang') return;
      response.writeHead(500).end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const server = createReferenceServer({ specGaps: { retryBackoff: ['1h', '1h'] }, deliveryTimeout: '1h' });
    const { baseUrl } = await server.listen();
    const headers = { Authorization: 'Bearer ' + server.apiKey, 'Content-Type': 'application/json' };
    for (const path of ['/fail', '/hang']) {
      const url = 'http://127.0.0.1:' + receiver.address().port + path;
      const body = JSON.stringify({ url, events: ['message.received'] });
      await (await fetch(baseUrl + '/v1/webhooks', { method: 'POST', headers, body })).text();
    }
    const arrived = new Promise((resolve) => receiver.on('request', ({ url }) => url === '/hang' && resolve()));
    await server.simulate.inboundMessage({ phone: '${phone}', body: 'Hello' });
    await arrived;
    await server.close();
    receiver.close();
    receiver.closeAllConnections();
    console.log('closed');
  `;
  expect(await endOf(program)).toEqual(['closed\n', 0, null]);
});

test('a server without a socket that nobody closed leaves nothing that keeps the process alive', async () => {
  const program = `
    import { createReferenceServer } from './src/server/index.ts';
    const server = createReferenceServer({
      templates: [{ id: 'welcome', body: 'Welcome' }],
      journeys: [{ id: 'welcome', event: 'signed_up', steps: [{ wait: '1h' }, { send: 'welcome' }] }],
    });
    await server.client.contacts.upsert({ phone: '${phone}' });
    await server.client.events.track({ event: 'signed_up', phone: '${phone}' });
    await server.settled();
    console.log('waits', server.clock.next > server.clock.now());
    await server.sends.waitFor({}, { timeout: '20ms' }).catch(({ name }) => console.log(name));
  `;
  expect(await endOf(program)).toEqual(['waits true\nWaitTimeoutError\n', 0, null]);
});

/** What a program prints, and how it ends. */
async function endOf(program: string) {
  const child = spawn(process.execPath, [await bundle({ text: program })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  // A process that anything keeps alive would be so for an hour.
  const kill = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const [code, signal] = await once(child, 'close');
  clearTimeout(kill);
  return [output, code, signal];
}
