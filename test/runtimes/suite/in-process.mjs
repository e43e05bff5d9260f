// Runs the checks in a runtime that runs programs: Node.js, Bun and Deno.
//   in-process.mjs esm|cjs|bare FAR_SIDE
// `bare` is without `node:crypto` and `Buffer`, as on an edge runtime. One line of JSON for each check.
import { createRequire } from 'node:module';
import process from 'node:process';
import { inspect } from 'node:util';
import { client } from './client.mjs';
import { exampleOf } from './examples.mjs';
import { faults } from './faults.mjs';
import { mswBridge } from './msw.mjs';
import { secret } from './receiver-app.mjs';
import { receivers } from './receivers.mjs';
import { runChecks } from './run-checks.mjs';
import { serveByElysia, serveReceivers } from './serve-receivers.mjs';
import { listening, server } from './server.mjs';
import { webhooks } from './webhooks.mjs';

const [system, farSide] = process.argv.slice(2);
const isNode = globalThis.Bun === undefined && globalThis.Deno === undefined;
const load = system === 'cjs' ? createRequire(import.meta.url) : (name) => import(name);
const runtime = {
  tellsRefusal: true,
  repeatsWithoutBody: globalThis.Deno !== undefined,
  inspect: (value) => (globalThis.Bun ?? globalThis.Deno ?? { inspect }).inspect(value),
};

if (system === 'bare') {
  process.getBuiltinModule = undefined;
  if (!isNode) globalThis.Buffer = undefined; // which Node's own fetch uses
}

const world = {
  sdk: await load('messaging-automation'),
  webhooks: await load('messaging-automation/webhooks'),
  server: await load('messaging-automation/server'),
  farSide: JSON.parse(farSide),
  runtime,
};
await report({ client, faults, webhooks, server, ...(system !== 'bare' && { listening }) }, world);

const served = await serveReceivers(world.webhooks);
await report({ receivers }, { ...world, send: served.send });
await served.close();
if (!isNode && system === 'esm') {
  const name = globalThis.Bun ? 'bun' : 'deno';
  process.env.WEBHOOK_SECRET = secret;
  const { default: example } = await import(`./receivers/${name}.ts`);
  const running = await serveReceivers(world.webhooks, example.fetch);
  await report({ examples: exampleOf(name) }, { ...world, send: running.send });
  await running.close();
}

if (globalThis.Bun !== undefined && system === 'esm') {
  const elysia = await serveByElysia(world.webhooks);
  await report({ elysia: receivers }, { ...world, send: elysia.send });
  await elysia.close();
}

if (isNode) {
  const { undiciTransport } = await load('messaging-automation/undici');
  const transport = undiciTransport();
  await report(
    { undici: { ...overTransport(client), ...faults } },
    { ...world, clientOptions: { transport } },
  );
  await transport.close();
  const entries = { bridge: await load('messaging-automation/msw'), msw: await load('msw/node') };
  await report({ mswBridge }, { ...world, ...entries });
}
process.stdout.write('{"finished":true}\n');

async function report(parts, toWorld) {
  for await (const result of runChecks(parts, toWorld)) process.stdout.write(`${JSON.stringify(result)}\n`);
}

/** The checks of the client that are not about `fetch`. */
function overTransport({ 'calls a fetch of its own': _, ...checks }) {
  return checks;
}
