import { get } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { fromRequest } from '../../../src/server/http/fetch-edge.js';
import { listen } from '../../../src/server/http/node-edge.js';
import { machineClock } from '../../../src/server/time/machine-clock.js';
import { until, withResolvers } from '../../waiting.js';
import { emptyApplication } from '../support/application.js';

test('routes that could not be added are added by the next request', async () => {
  const application = emptyApplication();
  let tries = 0;
  application.addLater(['/later'], async () => {
    tries += 1;
    if (tries === 1) throw new Error('Too many files are open.');
    application.handleOpenly('GET', '/later', async () => ({ status: 204, headers: {} }));
  });
  const statuses = [];
  for (let i = 0; i < 3; i += 1) {
    statuses.push((await application.respond(fromRequest(new Request('http://localhost/later')))).status);
  }
  expect(statuses).toEqual([500, 204, 204]);
  expect(tries).toBe(2);
});

test('a handler that asks late learns that the client is gone', async () => {
  const application = emptyApplication();
  const { promise: opened, resolve: open } = withResolvers();
  const seen: boolean[] = [];
  let arrived = 0;
  application.handleOpenly('GET', '/slow', async ({ request }) => {
    arrived += 1;
    await opened;
    seen.push(request.gone.aborted);
    return { status: 204, headers: {} };
  });
  const { server, url } = await listen(application, machineClock, {});
  onTestFinished(() => void server.close());
  let closed = 0;
  server.on('connection', (socket) => {
    socket.on('close', () => {
      closed += 1;
    });
  });
  const [leaving, staying] = [get(`${url}/slow`), get(`${url}/slow`)];
  leaving.on('error', () => {});
  await until('two requests', () => arrived === 2);
  leaving.destroy();
  await until('the end of a connection', () => closed === 1);
  open();
  await until('both handlers', () => seen.length === 2);
  expect(seen.sort()).toEqual([false, true]);
  staying.destroy();
});
