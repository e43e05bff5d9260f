// Bundles the worker as its users bundle, starts it in workerd and prints what it answers.
//   in-worker.mjs nodejs_compat|plain FAR_SIDE FOLDER_OF_MINIFLARE
import { createRequire } from 'node:module';
import process from 'node:process';
import { build } from 'esbuild';

const [kind, farSide, folder] = process.argv.slice(2);
const { Miniflare } = createRequire(`${folder}/`)('miniflare');

const { outputFiles } = await build({
  entryPoints: [`worker-${kind}.mjs`],
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
});
try {
  const answer = await miniflare.dispatchFetch('http://worker.example/', { method: 'POST', body: farSide });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  for (const result of JSON.parse(text)) process.stdout.write(`${JSON.stringify(result)}\n`);
  process.stdout.write('{"finished":true}\n');
} finally {
  await miniflare.dispose();
}
