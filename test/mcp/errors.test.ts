import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../src/cli/program.js';
import { FakeTerminal } from '../cli/fake-terminal.js';
import { runAt, serve } from '../cli/served.js';
import { startAgent } from './agent.js';

/** A server that is none of ours: it answers each path with a JSON body, and everything else with 404. */
async function startOther(answers: Readonly<Record<string, object>>): Promise<string> {
  const server = createServer((request, response) => {
    const answer = answers[`${request.method} ${request.url}`];
    response.writeHead(answer === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(answer ?? { error: { code: 'not_found', message: 'Nothing is here.' } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

test('without a server each tool says how to start one', async () => {
  const { call } = await startAgent('http://127.0.0.1:1');
  const { isError, text } = await call('read_journal');
  expect(isError).toBe(true);
  expect(text).toMatch(/^Nothing answers at http:\/\/127\.0\.0\.1:1 .*messaging-automation serve/);
});

test('a wrong key is an error that does not show the key', async () => {
  const { url } = await serve();
  const { call } = await startAgent(url, { apiKey: 'wrong_key_of_another' });
  const { isError, text } = await call('workspace_status');
  expect(isError).toBe(true);
  expect(text).toContain('has no workspace with this key');
  expect(text).not.toContain('wrong_key_of_another');
});

test.each([
  'https://api.example.com',
  'http://192.168.1.10:4010',
  'http://127.0.0.1.example.com',
  'http://localhost.example.com',
  'http://[::2]:4010',
])('%s is not on this machine, so mcp refuses it', async (url) => {
  const { exitCode, complaints } = await runAt(url, 'mcp');
  expect(exitCode).toBe(2);
  expect(complaints).toContain(
    'mcp only works with a server on this machine: localhost, 127.0.0.1 or [::1], not ',
  );
});

test.each(['http://localhost:4010/api', 'http://127.0.0.2:4010', 'http://[::1]:4010', 'http://127.1:4010'])(
  '%s is on this machine',
  async (url) => {
    const terminal = new FakeTerminal({ env: { MESSAGING_AUTOMATION_API_KEY: 'test_key' } });
    const exit = run(['mcp', '--url', url], terminal);
    terminal.pipes.input.end();
    expect(await exit).toBe(0);
    expect(terminal.complaints).toBe('');
  },
);

test('mcp without a key ends with 2', async () => {
  const terminal = new FakeTerminal();
  expect(await run(['mcp'], terminal)).toBe(2);
  expect(terminal.complaints).toContain('--api-key');
});

test('a deployment has no control surface', async () => {
  const { call } = await startAgent(await startOther({}));
  const { isError, text } = await call('reset_workspace');
  expect(isError).toBe(true);
  expect(text).toMatch(
    /has no control surface\. This command needs a reference server: start one with `messaging-automation serve`/,
  );
});

test('an operation that the server does not list means that it is too old', async () => {
  const operations = [{ method: 'GET', path: '/control/clock' }];
  const { call } = await startAgent(await startOther({ 'GET /control': { operations } }));
  const { isError, text } = await call('explain_delivery', { id: 'delivery_1' });
  expect(isError).toBe(true);
  expect(text).toMatch(/is too old: it has no deliveries\.explain\./);
});

test('a response in an unknown form names the operation', async () => {
  const url = await startOther({ 'POST /control/clock/run-to-idle': { hour: 12 } });
  const { call } = await startAgent(url);
  const { isError, text } = await call('advance_clock', { to: 'idle' });
  expect(isError).toBe(true);
  expect(text).toContain('returned an unknown form of clock.runToIdle. Use the same version');
});

test('a call whose server does not answer ends by itself', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const timers: { readonly callback: () => void; readonly delay: number }[] = [];
  const clock = {
    now: () => 0,
    setTimer: (callback: () => void, delay: number) => {
      timers.push({ callback, delay });
      return () => {};
    },
  };
  const { call } = await startAgent(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, {
    clock,
  });
  const asked = once(server, 'request');
  const answer = call('reset_workspace');
  await asked;
  for (const { callback, delay } of timers) if (delay === 55_000) callback();
  const { isError, text } = await answer;
  expect(isError).toBe(true);
  expect(text).toBe(
    'reset_workspace took longer than 55 seconds. The server may still be at work: read_journal shows what happened.',
  );
});

test('an unknown tool is an error of the protocol that names the tools', async () => {
  const { call } = await startAgent('http://127.0.0.1:1');
  await expect(call('send_message')).rejects.toMatchObject({
    code: -32_602,
    message: expect.stringContaining(
      'There is no tool send_message. The tools: workspace_status, read_journal',
    ),
  });
});

test.each([
  [
    'send_as_contact',
    { phone: '123' },
    'phone must be a phone number in E.164 format, such as +15551234567; body is required',
  ],
  ['read_journal', { limit: 1_000 }, 'limit must be a whole number from 1 to 100'],
  ['read_journal', { kind: 'request' }, 'kind is not a known field'],
  ['read_journal', { type: 'deliveries' }, 'type must be "request" or'],
  ['wait_for', { what: 'send', within: 600 }, 'within must be a number from 0.1 to 45'],
  [
    'wait_for',
    { what: 'send', status: 'failed' },
    'status is not a filter of what=send. Its filters: contact, templateId, text',
  ],
  ['advance_clock', {}, 'exactly one of by and to is required'],
  ['advance_clock', { by: '1s', to: 'next' }, 'exactly one of by and to is required'],
  ['advance_clock', { by: 'soon' }, 'by must be a duration'],
  ['advance_clock', { to: 'tomorrow' }, 'to must be an instant'],
  ['explain_delivery', {}, 'id is required'],
  [
    'inject_fault',
    { rule: { operation: 'any', fault: { kind: 'boom' } } },
    'rule.fault.kind must be status, rate_limit',
  ],
  ['inject_fault', { rule: {} }, 'rule must have exactly one of operation and delivery'],
] as const)('%s refuses %j before it asks the server', async (name, input, problem) => {
  const { call } = await startAgent('http://127.0.0.1:1');
  const { isError, text } = await call(name, input);
  expect(isError).toBe(true);
  expect(text).toContain(`Invalid arguments: ${problem}`);
});

test('an id that does not exist is an error with the reason of the server', async () => {
  const { url } = await serve();
  const { call } = await startAgent(url);
  for (const [name, input] of [
    ['explain_delivery', { id: '../reset' }],
    ['redeliver', { id: 'delivery_0' }],
    ['remove_faults', { id: 'fault_9' }],
    ['inspect_entry', { number: 9_999 }],
  ] as const) {
    const { isError, text } = await call(name, input);
    expect(isError).toBe(true);
    expect(text).toContain('refused this with 404: not_found: ');
  }
});
