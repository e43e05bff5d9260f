import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { bundle } from '../../run/bundle.js';
import { rawExchange } from './support/raw-exchange.js';
import { delivery } from './support/sent.js';

let program: ChildProcess | undefined;
afterEach(() => void program?.kill());

test.each(['node:http', 'Express', 'Koa', 'Fastify', 'Hono', 'a Fetch handler'])(
  'the last delivery of a process that drains and exits gets a response: %s',
  async (framework) => {
    const child = fork(await bundle({ file: 'test/webhooks/adapters/drain/program.ts' }), [framework]);
    program = child;
    const exited = once(child, 'exit');
    const [port] = await once(child, 'message');
    const seen = rawExchange(`http://127.0.0.1:${port}/`, delivery());
    await once(child, 'message');
    child.send('drain');
    expect(await seen).toBe(204);
    expect(await exited).toEqual([0, null]);
  },
);
