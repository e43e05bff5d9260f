#!/usr/bin/env node
import { run } from './program.js';
import { processTerminal } from './terminal/process-terminal.js';

process.exitCode = await run(process.argv.slice(2), processTerminal);
