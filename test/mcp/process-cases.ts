import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../cli/served.js';
import { environment } from '../package/commands.js';

/** Tests `mcp` as a process that Node starts with these words. */
export function describeProcess(program: readonly string[]): void {
  const parameters = (url: string) => ({
    command: process.execPath,
    args: [...program, 'mcp', '--url', url],
    env: { PATH: String(process.env.PATH), MESSAGING_AUTOMATION_API_KEY: 'test_key' },
  });

  test.each([
    ['of version 1', () => new Client({ name: 'test', version: '1' }), StdioClientTransport],
    ['of version 2', () => new NewClient({ name: 'test', version: '1' }), NewTransport],
  ] as const)('a client %s uses the command as a process', async (_, create, Transport) => {
    const { url } = await serve();
    const client = create();
    await client.connect(new Transport(parameters(url)));
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(12);
    const message = { phone: '+15551234567', body: 'Hello' };
    const sent = await client.callTool({ name: 'send_as_contact', arguments: message });
    expect(sent.structuredContent).toMatchObject({ contactId: expect.any(String) });
  });

  test.each([
    ['the end of its input', (child) => child.stdin.end()],
    ['SIGTERM', (child) => child.kill('SIGTERM')],
    ['SIGINT', (child) => child.kill('SIGINT')],
  ] satisfies [string, (child: ChildProcessWithoutNullStreams) => unknown][])(
    'the process ends with 0 after %s, and has written only messages',
    async (_, end) => {
      const words = [...program, 'mcp', '--api-key', 'test_key'];
      const child = spawn(process.execPath, words, { env: environment() });
      onTestFinished(() => void child.kill('SIGKILL'));
      const written = { output: '', complaints: '' };
      child.stdout.on('data', (text) => {
        written.output += text;
      });
      child.stderr.on('data', (text) => {
        written.complaints += text;
      });
      const responded = once(child.stdout, 'data');
      child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
      await responded;
      const exit = once(child, 'close');
      end(child);
      expect(await exit).toEqual([0, null]);
      expect(written).toEqual({ output: '{"jsonrpc":"2.0","id":1,"result":{}}\n', complaints: '' });
    },
  );
}
