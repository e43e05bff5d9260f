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
  const child = spawn(process.execPath, [await bundle({ text: program })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  // A process that anything keeps alive would be so for an hour.
  const kill = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const [code, signal] = await once(child, 'exit');
  clearTimeout(kill);
  expect([output, code, signal]).toEqual(['closed\n', 0, null]);
});
