import { afterEach, expect, test } from 'vitest';
import { serveRequests } from '../cli/http-servers.js';
import { bundle } from '../run/bundle.js';
import { killAll, missingTerminal, runInTerminal, runOffTerminal } from './command-run.js';

// What matters most; commands.nightly.test.ts has every command.

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

/** A deployment with one subscription, and the methods that it was called with. */
async function deploymentWithSubscription() {
  const fields = { url: 'https://app.example.com/hooks', events: ['message.received'], enabled: true };
  const calls: string[] = [];
  const url = await serveRequests(({ method = '' }, response) => {
    calls.push(method);
    if (method === 'DELETE') response.writeHead(204).end();
    else response.end(JSON.stringify([{ id: 'webhook_1', createdAt: 1, ...fields }]));
  });
  return { calls, words: ['webhooks', 'delete', 'webhook_1', '--url', url] };
}

test.skipIf(missingTerminal).each([
  ['y', 0, ['GET', 'DELETE'], 'webhook_1 is deleted.'],
  ['n', 1, ['GET'], 'Nothing was done.'],
])(
  'in a terminal, webhooks delete asks, and takes %s for a reply',
  async (response, exitCode, methods, last) => {
    const { calls, words } = await deploymentWithSubscription();
    const command = runInTerminal(words, { program });
    await command.printed(/Delete webhook_1.*\[y\/N\] $/);
    command.type(response);
    expect(await command.ended).toBe(exitCode);
    expect(command.output).toContain(last);
    expect(calls).toEqual(methods);
  },
);

test.skipIf(missingTerminal)('in a terminal, Ctrl-C at the question deletes nothing', async () => {
  const { calls, words } = await deploymentWithSubscription();
  const command = runInTerminal(words, { program });
  await command.printed(/\[y\/N\] $/);
  command.interrupt();
  expect(await command.ended).not.toBe(0);
  expect(calls).toEqual(['GET']);
});

test('off a terminal, webhooks delete asks nobody, and needs --yes', async () => {
  const { calls, words } = await deploymentWithSubscription();
  const command = runOffTerminal(words, { program });
  expect(await command.ended).toBe(2);
  expect(command.errors).toContain('pass --yes');
  expect(calls).toEqual(['GET']);
});
