import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import { expectReceiver, printed, secret } from './receiver-example.js';

let running: ChildProcessWithoutNullStreams | undefined;

afterEach(() => {
  running?.kill();
  running = undefined;
});

/** Starts an example as its first line says, on a free port, and gives its address and the lines that follow. */
async function start(name: string) {
  const words = ['--import', 'tsx', repositoryFile(`examples/receivers/${name}.ts`)];
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' };
  const program = spawn(process.execPath, words, { cwd: repositoryFile('.'), env });
  running = program;
  let complaints = '';
  program.stderr.on('data', (text) => {
    complaints += text;
  });
  const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
  const { value: ready } = await lines.next();
  if (ready === undefined) throw new Error(`The example ended: ${complaints}`);
  return { url: String(ready).replace('Listening on ', ''), lines };
}

test.each(['node-http', 'express', 'fastify', 'koa', 'nestjs', 'hono'])(
  'the %s example handles what was signed and refuses the rest',
  async (name) => {
    const { url, lines } = await start(name);
    await expectReceiver(
      async (body, headers) => (await fetch(url, { method: 'POST', body, headers })).status,
    );
    expect((await lines.next()).value).toBe(printed);
  },
);
