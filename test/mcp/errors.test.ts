import { expect, test } from 'vitest';
import { serveRequests, serveResponse } from '../cli/http-servers.js';
import { runCommand, start } from '../cli/served.js';
import { ManualClock } from '../server/support/manual-clock.js';
import { startAgent } from './agent.js';

const nowhere = 'http://127.0.0.1:1';

test('a server that responds in an unknown form is an error that says so', async () => {
  const { call } = await startAgent(await serveResponse(200, 'application/json', '{"hour":12}'));
  const { isError, text } = await call('explain_delivery', { id: 'delivery_1' });
  expect(isError).toBe(true);
  expect(text).toContain('returned an unknown form of deliveries.explain. Use the same version');
});

test('without a server each tool says how to start one', async () => {
  const { call } = await startAgent(nowhere);
  const { isError, text } = await call('read_journal');
  expect(isError).toBe(true);
  expect(text).toMatch(/^No connection to http:\/\/127\.0\.0\.1:1\. /);
});

test.each([
  'https://api.example.com',
  'http://192.168.1.10:4010',
  'http://127.0.0.1.example.com',
  'http://localhost.example.com',
  'http://[::2]:4010',
])('%s is not on this machine, so mcp refuses it', async (url) => {
  const { exitCode, complaints } = await runCommand(['mcp', '--url', url]);
  expect(exitCode).toBe(2);
  expect(complaints).toContain(
    'mcp only works with a server on this machine: localhost, 127.0.0.1 or [::1], not ',
  );
});

test.each(['http://localhost:4010/api', 'http://127.0.0.2:4010', 'http://[::1]:4010', 'http://127.1:4010'])(
  '%s is on this machine',
  async (url) => {
    const { terminal, ended } = start(['mcp', '--url', url]);
    terminal.pipes.input.end();
    expect(await ended()).toBe(0);
    expect(terminal.complaints).toBe('');
  },
);

test('a call that the server does not respond to ends after 55 s, and no call leaves a timer', async () => {
  const clock = new ManualClock();
  const asked: string[] = [];
  const url = await serveRequests(({ url: path = '' }, response) => {
    asked.push(path);
    if (path.endsWith('/advance-to-next')) response.end('{"now":0,"time":"1970","flow":"frozen"}');
  });
  const { call } = await startAgent(url, { clock });
  expect((await call('advance_clock', { to: 'next' })).isError).toBe(false);
  expect(clock.waiting).toBe(0);
  const received = call('reset_workspace');
  await expect.poll(() => asked).toContain('/control/reset');
  clock.pass(54_999);
  expect(clock.waiting).toBe(1);
  clock.pass(1);
  expect(await received).toMatchObject({
    isError: true,
    text: 'reset_workspace took longer than 55 seconds. The server may still be at work: read_journal shows what happened.',
  });
  expect(clock.waiting).toBe(0);
});

test('an unknown tool is an error of the protocol that names the tools', async () => {
  const { call } = await startAgent(nowhere);
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
  ['read_journal', { type: 'deliveries' }, 'type must be "request" or'],
  ['wait_for', { what: 'send', within: 600 }, 'within must be a number from 0.1 to 45'],
  [
    'wait_for',
    { what: 'send', status: 'failed' },
    'status is not a filter of what=send. Its filters: contact,',
  ],
  ['advance_clock', { by: '1s', to: 'next' }, 'exactly one of by and to is required'],
  ['advance_clock', { by: 'soon' }, 'by must be a duration'],
  ['explain_delivery', {}, 'id is required'],
  [
    'inject_fault',
    { rule: { operation: 'any', fault: { kind: 'boom' } } },
    'rule.fault.kind must be status,',
  ],
] as const)('%s refuses %j before it asks the server', async (name, input, problem) => {
  const { call } = await startAgent(nowhere);
  const { isError, text } = await call(name, input);
  expect(isError).toBe(true);
  expect(text).toContain(`Invalid arguments: ${problem}`);
});
