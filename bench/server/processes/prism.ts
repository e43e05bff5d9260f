import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { answerQuestions, usedCpu } from '../../measure/other-process.js';

/** Prism as its command starts it, over our own description, with its log turned off. */
const port = await freePort();
const description = fileURLToPath(new URL('../../../openapi.json', import.meta.url));
const options = ['--host', '127.0.0.1', '--port', String(port), '--verboseLevel', 'silent'];
const prism = createRequire(import.meta.url).resolve('@stoplight/prism-cli');
process.argv = [process.execPath, prism, 'mock', description, ...options];
await import(prism);
await responding(`http://127.0.0.1:${port}`);
answerQuestions({ port }, { cpu: () => ({ cpu: usedCpu() }) });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('No port is free.');
  return address.port;
}

async function responding(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await fetch(url).catch(() => undefined)) return;
    await wait(50);
  }
  throw new Error('Prism does not respond.');
}
