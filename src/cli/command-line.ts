import { run } from './program.js';
import { messageOf } from './terminal/failures.js';
import { processTerminal } from './terminal/process-terminal.js';

const exitCode = await run(process.argv.slice(2), processTerminal).catch((error: unknown) => {
  // A mistake in this program: its stack may show what comes from outside, too.
  processTerminal.complain(`${Object(error).stack ?? error}\n`);
  return 1;
});
const failure = await processTerminal.outputFailure();
// After EPIPE the reader has what it wants, and the exit code tells the result of the work.
const isUnread = Reflect.get(Object(failure), 'code') === 'EPIPE';
const isLost = failure !== undefined && !isUnread;
if (isLost) processTerminal.complain(`error: The output could not be written. ${messageOf(failure)}\n`);
process.exitCode = isLost ? 1 : exitCode;
