import { run } from './program.js';
import { messageOf } from './terminal/failures.js';
import { outputFailure, processTerminal } from './terminal/process-terminal.js';

const exitCode = await run(process.argv.slice(2), processTerminal);
const failure = await outputFailure();
if (failure !== undefined)
  processTerminal.complain(`error: The output could not be written. ${messageOf(failure)}\n`);
process.exitCode = failure === undefined ? exitCode : 1;
