import { get } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { Application } from '../../../src/server/http/application.js';
import { listen } from '../../../src/server/http/listener.js';
import { defaultSpecGaps } from '../../../src/server/model/spec-gaps.js';
import { machineClock } from '../../../src/server/time/machine-clock.js';
import { until } from '../../waiting.js';

test('a handler that asks late learns that the client is gone', async () => {
  const application = new Application({
    openWorkspace: async () => undefined,
    apiKeys: () => [],
    clock: machineClock,
    newId: () => 'request',
    log: undefined,
    bodyLimit: 1,
    gaps: defaultSpecGaps,
    cors: undefined,
    hosts: undefined,
  });
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const seen: boolean[] = [];
  let arrived = 0;
  application.handleOpenly('GET', '/slow', async ({ request }) => {
    arrived += 1;
    await gate;
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
  await until(
    'two requests',
    () => arrived === 2,
    () => arrived,
  );
  leaving.destroy();
  await until(
    'the end of a connection',
    () => closed === 1,
    () => closed,
  );
  open();
  await until(
    'both handlers',
    () => seen.length === 2,
    () => seen,
  );
  expect(seen.sort()).toEqual([false, true]);
  staying.destroy();
});
