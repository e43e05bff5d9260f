import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { serveRequests } from '../cli/http-servers.js';
import { start } from '../cli/served.js';
import { repositoryFile } from '../repository.js';
import { within } from '../waiting.js';
import { startAgent } from './agent.js';

const nowhere = 'http://127.0.0.1:1';

/** Writes lines to `mcp` as they are, and reads its responses. */
function startRaw(url = nowhere) {
  const { terminal, ended } = start(['mcp', '--url', url]);
  const lines = createInterface({ input: terminal.pipes.output })[Symbol.asyncIterator]();
  const write = (message: unknown) =>
    void terminal.pipes.input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  const read = async () => JSON.parse((await within('a response', lines.next())).value);
  const request = (method: string, params?: object, id: string | number = 1) =>
    write({ jsonrpc: '2.0', id, method, params });
  return { terminal, ended, write, read, request };
}

/** The same, with a call of `wait_for` that the server holds. */
async function startWaiting(id: string | number) {
  const requests: IncomingMessage[] = [];
  const raw = startRaw(await serveRequests((request) => void requests.push(request)));
  raw.request('tools/call', { name: 'wait_for', arguments: { what: 'send', within: 45 } }, id);
  await expect.poll(() => requests.length, { message: 'requests' }).toBe(1);
  const [request = expect.fail('The server was not asked.')] = requests;
  const released = once(request.socket, 'close');
  return { ...raw, isReleased: () => within('the end of the request', released) };
}

async function listTools() {
  const { client } = await startAgent(nowhere);
  return (await client.listTools()).tools;
}

test('the tools, their order and their effects are stable, and the guide lists them', async () => {
  const guide = readFileSync(repositoryFile('docs/guides/coding-agents.md'), 'utf8');
  const listed = [...guide.matchAll(/^\| (\w+) \| (`.+) \|$/gm)].flatMap(([, effect, tools = '']) =>
    [...tools.matchAll(/(?:^|, )`(\w+)`/g)].map(([, name]) => `${name} ${effect}`),
  );
  const effects = (await listTools()).map(({ name, annotations = {} }) => {
    const changes = annotations.destructiveHint ? 'removes' : 'adds';
    return `${name} ${annotations.readOnlyHint ? 'reads' : changes}`;
  });
  expect(effects).toEqual([
    'workspace_status reads',
    'read_journal reads',
    'inspect_entry reads',
    'send_as_contact adds',
    'list_deliveries reads',
    'explain_delivery reads',
    'redeliver adds',
    'wait_for reads',
    'advance_clock removes',
    'inject_fault adds',
    'remove_faults removes',
    'reset_workspace removes',
  ]);
  expect(listed.toSorted()).toEqual(effects.toSorted());
});

test('each tool says what it is for, names a better one, and has a closed schema of its arguments alone', async () => {
  const tools = await listTools();
  const names = tools.map(({ name }) => name);
  for (const { name, title, description = '', inputSchema, outputSchema, annotations } of tools) {
    expect(title).toMatch(/^[A-Z]/);
    const others = ['Not for', ...names.filter((other) => other !== name)];
    expect(others.some((other) => description.includes(other))).toBe(true);
    expect(description.length).toBeLessThan(600);
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(outputSchema).toBeUndefined();
    expect(JSON.stringify(inputSchema)).not.toContain('$ref');
    expect(annotations).toMatchObject({ openWorldHint: false });
  }
});

test('the server introduces itself with its version and instructions, and prints nothing but messages', async () => {
  const { client, terminal, leave } = await startAgent(nowhere);
  const version = expect.stringMatching(/^\d+\.\d+\.\d+/);
  expect(client.getServerVersion()).toMatchObject({ name: 'messaging-automation', version });
  expect(client.getInstructions()).toContain('workspace_status');
  expect(await leave()).toBe(0);
  expect([terminal.printed, terminal.complaints]).toEqual([[], '']);
});

test.each([
  ['2024-11-05', '2024-11-05'],
  ['2025-06-18', '2025-06-18'],
  ['2025-03-26', '2025-11-25'],
  ['1999-01-01', '2025-11-25'],
])('a client that wants revision %s gets %s', async (wanted, got) => {
  const { request, read } = startRaw();
  const clientInfo = { name: 'raw', version: '1' };
  request('initialize', { protocolVersion: wanted, capabilities: {}, clientInfo });
  const result = { protocolVersion: got, capabilities: { tools: {} } };
  expect(await read()).toMatchObject({ id: 1, result });
});

test('responds to requests alone, each with its own id, be it a text or a number', async () => {
  const { request, write, read } = startRaw();
  write({ jsonrpc: '2.0', method: 'notifications/initialized' });
  write({ jsonrpc: '2.0', method: 'notifications/unheard_of', params: { id: 5 } });
  write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'never asked' } });
  write({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'workspace_status' } });
  write({ jsonrpc: '2.0', id: 7, result: {} });
  write({ jsonrpc: '2.0', id: 8, error: { code: 1, message: 'Of the client.' } });
  write('');
  for (const id of ['a', '1', 1, 0, '']) {
    request('ping', undefined, id);
    expect(await read()).toEqual({ jsonrpc: '2.0', id, result: {} });
  }
});

test.each([{}, { arguments: null }])('a call without arguments may have %j', async (given) => {
  const { request, read } = startRaw();
  request('tools/call', { name: 'workspace_status', ...given });
  expect(await read()).toMatchObject({ result: { content: [{ text: expect.stringContaining(nowhere) }] } });
});

test('what is no message, no JSON, no method or no tool call is an error', async () => {
  const { request, write, read } = startRaw();
  write('{"jsonrpc":');
  expect(await read()).toMatchObject({ id: null, error: { code: -32_700 } });
  write([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
  expect(await read()).toMatchObject({ id: null, error: { code: -32_600 } });
  request('resources/list');
  expect(await read()).toMatchObject({ id: 1, error: { code: -32_601 } });
  request('tools/call', { arguments: {} });
  expect(await read()).toMatchObject({ id: 1, error: { code: -32_602 } });
});

describe.each(['waiting', 7, '7', 0])('a call with the id %j', (id) => {
  test('does not hold up others', async () => {
    const { request, read } = await startWaiting(id);
    request('ping', undefined, 'other');
    expect(await read()).toMatchObject({ id: 'other', result: {} });
  });

  test('ends at the server when it is cancelled, and gets no response', async () => {
    const { request, write, read, isReleased } = await startWaiting(id);
    write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    await isReleased();
    request('ping', undefined, 'last');
    expect(await read()).toMatchObject({ id: 'last' });
  });

  test('continues when another one is cancelled', async () => {
    const { terminal, request, write, read, isReleased } = await startWaiting(id);
    const other = typeof id === 'number' ? String(id) : Number(id);
    write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: other } });
    request('ping', undefined, 'last');
    expect(await read()).toMatchObject({ id: 'last' });
    terminal.pipes.input.end();
    await isReleased();
  });
});

test.each(['the end of its input', 'a signal'])(
  '%s ends the command, and its calls at the server',
  async (end) => {
    const { terminal, ended, isReleased } = await startWaiting('waiting');
    if (end === 'a signal') terminal.stop();
    else terminal.pipes.input.end();
    expect(await ended()).toBe(0);
    await isReleased();
  },
);
