import { Command } from 'commander';
import { isThisMachine } from '../../foundation/this-machine.js';
import { type ControlOptions, controlClientOf, withServerOptions } from '../running-server/options.js';
import { UsageError } from '../terminal/failures.js';
import type { CliCommand, Terminal } from '../terminal/terminal.js';
import { describeEntry } from './journal-lines.js';

/** `messaging-automation mcp`: gives a coding agent tools for a running server. */
export const mcpCommand: CliCommand = {
  define: () =>
    withServerOptions(
      new Command('mcp').description('serve tools for a coding agent (Model Context Protocol) over stdio'),
    ),
  examples: `  $ messaging-automation mcp
  $ messaging-automation mcp --url http://127.0.0.1:4010 --api-key test_key`,
  notes: `A coding agent starts this command. It speaks the Model Context Protocol over
standard input and output, and gives the agent tools for a running \`serve\`: read
what happened, write as a contact, look at deliveries, explain and repeat them,
advance the clock, inject faults, reset.

The URL must be on this machine: localhost, 127.0.0.0/8 or ::1. The server may
start later. Keys, secrets and phone numbers are masked in all results.

Exit codes:
  0  standard input ended, or a signal ended it
  2  the command line is wrong`,
  run: mcp,
};

async function mcp(terminal: Terminal, options: ControlOptions): Promise<void> {
  const surface = controlClientOf(terminal, options);
  const { hostname } = new URL(surface.url);
  // An agent must not control a server that others use.
  if (!isThisMachine(hostname)) {
    throw new UsageError(
      `mcp only works with a server on this machine: localhost, 127.0.0.1 or [::1], not ${surface.shown(hostname)}.`,
    );
  }
  // Only this command needs the tools.
  const { serveTools } = await import('../../mcp/index.js');
  await serveTools({
    surface,
    clock: terminal.clock,
    describe: (entry) => describeEntry({ colors: false }, Object(entry), surface.shown),
    ...terminal.streams(),
    stopped: terminal.stopRequested(),
  });
}
