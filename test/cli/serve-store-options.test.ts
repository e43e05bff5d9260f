import { describe, expect, test } from 'vitest';
import { runCommand, start } from './served.js';

const url = 'postgres://user:secret_password@127.0.0.1:9/messaging';

async function refusal(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { exitCode, output, complaints } = await runCommand(words, { env });
  expect(exitCode).toBe(2);
  expect(complaints + output).not.toContain('secret_password');
  return complaints;
}

describe('serve --store', () => {
  test.each([
    [['--store', 'messaging'], '--store must be the URL of a PostgreSQL database'],
    [['--store', 'mysql://user:secret_password@host/messaging'], '--store must be the URL of a PostgreSQL'],
    [['--store', 'postgres://user:secret_password@host:port/x'], 'must be percent-encoded'],
    [
      ['--store', url, '--state', 'state.json'],
      '--state keeps everything in a file, and --store in a database',
    ],
    [['--replica', 'one'], '--replica is only for servers that share a database. Pass --store too'],
    [['--store-schema', 'one'], '--store-schema is only for servers that share a database. Pass --store too'],
    [['--store', url, '--wait-for-store', 'soon'], 'It must be a duration, such as 30s'],
  ])('refuses %j, and names no password', async (words, complaint) => {
    expect(await refusal(['serve', '--port', '0', ...words])).toContain(complaint);
  });

  test('is named by a variable too, and the refusal names that', async () => {
    const env = { MESSAGING_AUTOMATION_STORE: 'not a URL, but a secret_password' };
    expect(await refusal(['serve'], env)).toContain('$MESSAGING_AUTOMATION_STORE must be the URL');
    const conflict = await refusal(['serve', '--state', 'x'], { MESSAGING_AUTOMATION_STORE: url });
    expect(conflict).toContain('$MESSAGING_AUTOMATION_STORE in a database');
  });

  test('says which database does not answer, and why, without the password', async () => {
    const complaint = await refusal(['serve', '--port', '0', '--store', url, '--wait-for-store', '0s']);
    expect(complaint).toBe(
      'error: No answer from the database messaging at 127.0.0.1:9 within 0 s: connect ECONNREFUSED 127.0.0.1:9. Start it, or correct --store.\n',
    );
  });

  test('waits for a database that starts, says so once, and ends the wait when it is told to', async () => {
    const { terminal, stop } = start(['serve', '--port', '0', '--store', url]);
    await terminal.complaint(/ECONNREFUSED/);
    expect(await stop()).toBe(0);
    expect(terminal.complaints).toBe(
      'Waiting for the database messaging at 127.0.0.1:9, for 30 s at most: connect ECONNREFUSED 127.0.0.1:9\n',
    );
    expect(terminal.output).toBe('Stopped.');
  });
});

describe('migrate', () => {
  test('needs a database', async () => {
    expect(await refusal(['migrate'])).toContain(
      'The database is missing. Pass --store or set $MESSAGING_AUTOMATION_STORE.',
    );
  });

  test('says which database does not answer', async () => {
    expect(await refusal(['migrate', '--store', url, '--wait-for-store', '0s'])).toContain(
      'No answer from the database messaging at 127.0.0.1:9 within 0 s',
    );
  });
});
