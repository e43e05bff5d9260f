import { expect, test } from 'vitest';
import { runCommand, start } from './served.js';

const store = ['--store', 'postgres://user:secret_password@127.0.0.1:9/messaging'];

test.each(['serve', 'migrate'])(
  '%s says which database does not respond, and why, without the password',
  async (command) => {
    const { exitCode, complaints } = await runCommand([command, ...store, '--wait-for-store', '0s']);
    expect(exitCode).toBe(2);
    expect(complaints).toBe(
      'error: No response from the database messaging at 127.0.0.1:9 within 0 s: connect ECONNREFUSED 127.0.0.1:9. Start it, or correct --store.\n',
    );
  },
);

test('serve waits for a database that starts, says so once, and ends the wait when it is told to', async () => {
  const { terminal, stop } = start(['serve', '--port', '0', ...store]);
  await terminal.complaint(/ECONNREFUSED/);
  expect(await stop()).toBe(0);
  expect(terminal.complaints).toBe(
    'Waiting for the database messaging at 127.0.0.1:9, for 30 s at most: connect ECONNREFUSED 127.0.0.1:9\n',
  );
  expect(terminal.output).toBe('Stopped.');
});
