import { afterEach, expect, test } from 'vitest';
import { bundle } from '../run/bundle.js';
import { killAll, missingTerminal, runInTerminal, runOffTerminal } from './command-run.js';

// What matters most; commands.exhaustive.test.ts has every command.

const program = [await bundle({ file: 'src/cli/main.ts' })];
afterEach(killAll);

const words = ['serve', '--port', '0'];

test.skipIf(missingTerminal)('in a terminal, serve prints colours, and Ctrl-C stops it', async () => {
  const command = runInTerminal(words, { program });
  await command.printed(/Ctrl-C stops it/);
  command.interrupt();
  expect(await command.ended).toBe(0);
  expect(command.output).toContain('\u001b[1mMessaging Automation reference server');
  expect(command.output).toContain('Stopped.');
});

test('off a terminal, serve prints no colours, nothing to standard error, and SIGINT stops it', async () => {
  const command = runOffTerminal(words, { program });
  await command.printed(/Ctrl-C stops it/);
  command.interrupt();
  expect(await command.ended).toBe(0);
  expect(command.output).toContain('Stopped.');
  expect(command.output).not.toContain('\u001b');
  expect(command.errors).toBe('');
});

test('off a terminal, a wrong command line ends with 2, and only standard error says why', async () => {
  const command = runOffTerminal(['serve', '--port', 'x'], { program });
  expect(await command.ended).toBe(2);
  expect(command.output).toBe('');
  expect(command.errors).toContain('It must be a whole number.');
});
