import { expect, test } from 'vitest';
import { serveRequests } from './http-servers.js';
import { runCommand, start } from './served.js';

const store = ['--store', 'postgres://user:secret_password@127.0.0.1:9/messaging'];
const reason = 'Nothing listens at that host and port (ECONNREFUSED). Start it, or correct';

test.each(['serve', 'migrate'])(
  '%s says which database does not respond, and why, without the password',
  async (command) => {
    const { exitCode, complaints } = await runCommand([command, ...store, '--wait-for-store', '0s']);
    expect(exitCode).toBe(2);
    expect(complaints).toBe(
      `error: No response from the database messaging at 127.0.0.1:9 within 0 s. ${reason} --store.\n`,
    );
  },
);

test('serve waits for a database that starts, says so once, and ends the wait when it is told to', async () => {
  const { terminal, stop } = start(['serve', '--port', '0', ...store]);
  await terminal.complaint(/ECONNREFUSED/);
  expect(await stop()).toBe(0);
  expect(terminal.complaints).toBe(
    `Waiting for the database messaging at 127.0.0.1:9, for 30 s at most. ${reason} --store.\n`,
  );
  expect(terminal.output).toBe('Stopped.');
});

test('a database whose name has no address, and a port that speaks something else, say so by the same table', async () => {
  const complaintsOf = async (url: string) => {
    const proxies = { HTTP_PROXY: 'http://proxy.example:3128', HTTPS_PROXY: 'http://proxy.example:3128' };
    const env = { MESSAGING_AUTOMATION_STORE: url, ...proxies };
    const { complaints } = await runCommand(['migrate', '--wait-for-store', '0s'], { env });
    // No proxy stands before a database.
    expect(complaints).not.toMatch(/proxy/i);
    return complaints;
  };
  expect(await complaintsOf('postgres://user:secret_password@nobody.invalid/messaging')).toMatch(
    /within 0 s\. (Its host name has no address \(ENOTFOUND\)|The name server does not respond \(EAI_AGAIN\))\. /,
  );
  const hangsUp = await serveRequests(() => {});
  expect(await complaintsOf(hangsUp.replace('http://', 'postgres://user:secret_password@'))).toMatch(
    /within 0 s\. .*\. (Try again|Start it, or correct \$MESSAGING_AUTOMATION_STORE)\./,
  );
});
