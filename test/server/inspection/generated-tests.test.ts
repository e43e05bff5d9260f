import { transform } from 'esbuild';
import * as serverModule from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { startWithEveryEntry } from './every-entry.js';

/** Runs the text of a test here, with the modules that it imports. */
async function run(text: string, seed: unknown): Promise<void> {
  const { code } = await transform(text, { loader: 'ts', format: 'cjs', target: 'node20' });
  const bodies: (() => Promise<void>)[] = [];
  const modules = new Map<string, unknown>([
    ['messaging-automation/server', serverModule],
    ['./seed.json', seed],
    ['vitest', { expect, test: (_: string, body: () => Promise<void>) => void bodies.push(body) }],
  ]);
  new Function('require', code)((name: string) => modules.get(name));
  expect(bodies).toHaveLength(1);
  for (const body of bodies) await body();
}

test('the tests of all entries pass with the seed of the workspace', async () => {
  const server = await startWithEveryEntry();
  const seed: unknown = JSON.parse(JSON.stringify(await server.seed()));
  const entries = await server.journal.entries();
  const types = new Set(entries.map(({ type }) => type));
  expect(types).toEqual(new Set(['request', 'message', 'attempt', 'event', 'send', 'journey', 'fault']));
  for (const number of entries.keys()) {
    const { copies } = await server.journal.inspect(number + 1);
    await run(copies.test, seed).catch((cause: unknown) => {
      throw new Error(`The test of entry ${number + 1} fails:\n${copies.test}`, { cause });
    });
  }
});
