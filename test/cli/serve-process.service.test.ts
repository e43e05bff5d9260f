import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { folderWith } from '../folder.js';
import { bundle } from '../run/bundle.js';
import { hang, startReceiver } from '../server/support/receiver.js';
import { within } from '../waiting.js';
import { serve } from './served.js';

const contact = { phone: '+15551234567', properties: { firstName: 'Ada' } };

/** Runs `serve` in a process of its own. */
async function serveInChild(...options: readonly string[]) {
  const program = await bundle({ file: 'src/cli/main.ts' });
  const words = ['serve', '--port', '0', '--json', '--api-key', 'test_key', ...options];
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  const complaints = text(child.stderr);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(async ([code, signal]) => {
    throw new Error(`serve ended with ${code ?? signal} before it was ready: ${await complaints}`);
  });
  const line = once(createInterface({ input: child.stdout }), 'line');
  const [ready] = await within('the ready line of serve', Promise.race([line, ended]), undefined, 30_000);
  ended.catch(() => {});
  const { url } = JSON.parse(ready);
  const headers = { Authorization: 'Bearer test_key', 'Content-Type': 'application/json' };
  const ask = (path: string, body: object) =>
    fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { child, url, ask, complaints };
}

test.each([
  ['SIGINT', 'SIGINT'],
  ['SIGINT', 'SIGTERM'],
  ['SIGTERM', 'SIGINT'],
] as const)(
  'after %s serve finishes its current work, and after a second signal, %s, it ends at once',
  async (first, second) => {
    const { child, url, ask } = await serveInChild('--shutdown-grace', '1m');
    const receiver = await startReceiver(hang);
    await ask('/api/v1/webhooks', { url: receiver.url, events: ['message.received'] });
    await ask('/control/inbound-messages', { phone: contact.phone, body: 'Hello' });
    await receiver.arrived(1);
    const exit = once(child, 'exit');
    child.kill(first);
    await expect.poll(() => fetch(`${url}/health`).catch(() => 'refused'), { interval: 5 }).toBe('refused');
    child.kill(second);
    expect(await exit).toEqual([null, second]);
  },
);

describe('a process with a state file', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = folderWith({});
    file = join(folder, 'state.json');
  });

  test('that is killed goes on with all that was written, whatever else it leaves', async () => {
    const { child, ask } = await serveInChild('--state', file);
    await ask('/api/v1/contacts', contact);
    await expect.poll(() => readFile(file, 'utf8'), { interval: 5, timeout: 10_000 }).toContain('Ada');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await readdir(folder)).toContain('state.json.lock');
    await writeFile(`${file}.new`, '{"torn":');
    await utimes(`${file}.lock`, 0, 0); // as if nobody had touched it for long

    const again = await serve('--state', file);
    expect(await (await again.ask('/api/v1/contacts/find?phone=%2B15551234567')).json()).toMatchObject({
      properties: { firstName: 'Ada' },
    });
    await again.stop();
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'that is ended by %s writes its last change',
    async (signal) => {
      const { child, ask } = await serveInChild('--state', file);
      await ask('/api/v1/contacts', contact);
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([0, null]);
      expect(await readFile(file, 'utf8')).toContain('Ada');
      expect(await readdir(folder)).toEqual(['state.json']);
    },
  );

  test('whose output nobody reads any more stops, says why, and writes its last change', async () => {
    const { child, ask, complaints } = await serveInChild('--state', file);
    child.stdout?.destroy();
    await ask('/api/v1/contacts', contact);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await complaints).toBe('Nothing reads the output any more, so the command stops.\n');
    expect(await readFile(file, 'utf8')).toContain('Ada');
    expect(await readdir(folder)).toEqual(['state.json']);
  });
});
