#!/usr/bin/env node
import { processTerminal } from './process-terminal.js';
import { run } from './program.js';

process.exitCode = await run(process.argv.slice(2), processTerminal);
