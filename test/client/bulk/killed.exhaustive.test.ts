import { test } from 'vitest';
import { killProcesses } from './killed-processes.js';

test('wherever a process is killed, no item is sent twice, and every item ends', () =>
  killProcesses(500, 75_000));
