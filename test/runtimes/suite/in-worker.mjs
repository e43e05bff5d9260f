// Bundles workers as their users bundle, starts them in workerd and prints what became of the checks.
//   in-worker.mjs nodejs_compat|plain FAR_SIDE FOLDER_OF_MINIFLARE
import { createRequire } from 'node:module';
import process from 'node:process';
import { build } from 'esbuild';
import * as webhooks from 'messaging-automation/webhooks';
import { exampleOf } from './examples.mjs';
import { secret } from './receiver-app.mjs';
import { receivers } from './receivers.mjs';
import { runChecks } from './run-checks.mjs';

const [kind, farSide, folder] = process.argv.slice(2);
const { Miniflare } = createRequire(`${folder}/`)('miniflare');

const checks = await inWorkerd(`worker-${kind}.mjs`, async (send) => {
  const response = await send('/', { method: 'POST', body: farSide });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text);
});
const received = await inWorkerd('worker-receivers.mjs', (send) => resultsOf({ receivers }, send));
const example = await inWorkerd('receivers/workers.ts', (send) =>
  resultsOf({ examples: exampleOf('workers') }, send),
);
for (const result of [...checks, ...received, ...example])
  process.stdout.write(`${JSON.stringify(result)}\n`);
process.stdout.write('{"finished":true}\n');

async function inWorkerd(entry, use) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*'],
  });
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: outputFiles[0].text }],
    compatibilityDate: '2026-04-01',
    compatibilityFlags: kind === 'nodejs_compat' ? ['nodejs_compat'] : [],
    bindings: { WEBHOOK_SECRET: secret },
  });
  try {
    return await use((path, init) => miniflare.dispatchFetch(`http://worker.example${path}`, init));
  } finally {
    await miniflare.dispose();
  }
}

async function resultsOf(parts, send) {
  const results = [];
  for await (const result of runChecks(parts, { webhooks, send })) results.push(result);
  return results;
}
