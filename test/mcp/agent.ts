import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Clock } from 'messaging-automation';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/foundation/clock.js';
import type { FakeTerminal } from '../cli/fake-terminal.js';
import { start } from '../cli/served.js';

/** Starts `mcp` for a server until the test is over, and connects the protocol's own client to it. */
export async function startAgent(
  url: string,
  { apiKey = 'test_key', clock = systemClock }: { readonly apiKey?: string; readonly clock?: Clock } = {},
) {
  const env = { MESSAGING_AUTOMATION_API_KEY: apiKey };
  const { terminal, ended } = start(['mcp', '--url', url], { env, clock });
  const client = new Client({ name: 'test', version: '1' });
  const leave = () => {
    terminal.pipes.input.end();
    return ended();
  };
  onTestFinished(async () => void (await leave()));
  await client.connect(new PipeTransport(terminal));
  return {
    client,
    terminal,
    leave,
    /** The result of a tool: its text, and the content that is read from it, which is empty for an error. */
    call: async (name: string, input: Record<string, unknown> = {}) => {
      const { content, isError = false } = await client.callTool({ name, arguments: input });
      const [first]: readonly { readonly text?: unknown }[] = Array.isArray(content) ? content : [];
      const text = String(first?.text);
      const structured: Readonly<Record<string, unknown>> = isError ? {} : Object(JSON.parse(text));
      return { isError: isError === true, text, content: structured };
    },
  };
}

/** Standard input and output of a command in this process, as the client's transport. */
class PipeTransport implements Transport {
  readonly #terminal: FakeTerminal;
  onmessage?: Transport['onmessage'];
  onclose?: () => void;

  constructor(terminal: FakeTerminal) {
    this.#terminal = terminal;
  }

  async start(): Promise<void> {
    const lines = createInterface({ input: this.#terminal.pipes.output });
    lines.on('line', (line) => this.onmessage?.(JSONRPCMessageSchema.parse(JSON.parse(line))));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#terminal.pipes.input.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#terminal.pipes.input.end();
    this.onclose?.();
  }
}
