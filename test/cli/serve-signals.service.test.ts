import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import { hang, startReceiver } from '../server/support/receiver.js';

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Runs `serve` in a process of its own, with a delivery under way to a receiver that does not answer. */
async function serveWithWorkUnderWay(): Promise<Running> {
  const program = ['--import', 'tsx', repositoryFile('src/cli/main.ts')];
  const words = ['serve', '--port', '0', '--json', '--api-key', 'test_key', '--shutdown-grace', '1m'];
  const child = spawn(process.execPath, [...program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url } = JSON.parse(line);
  const receiver = await startReceiver(hang);
  const headers = { Authorization: 'Bearer test_key', 'Content-Type': 'application/json' };
  const ask = (path: string, body: object) =>
    fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  await ask('/api/v1/webhooks', { url: receiver.url, events: ['message.received'] });
  await ask('/control/inbound-messages', { phone: '+15551234567', body: 'Hello' });
  await receiver.arrived(1);
  return { child, url };
}

test.each([
  ['SIGINT', 'SIGINT'],
  ['SIGINT', 'SIGTERM'],
  ['SIGTERM', 'SIGINT'],
] as const)('after %s serve ends what is under way, and after %s it ends at once', async (first, second) => {
  const { child, url } = await serveWithWorkUnderWay();
  const exit = once(child, 'exit');
  child.kill(first);
  await expect.poll(() => fetch(`${url}/health`).catch(() => 'refused'), { interval: 5 }).toBe('refused');
  child.kill(second);
  expect(await exit).toEqual([null, second]);
});
