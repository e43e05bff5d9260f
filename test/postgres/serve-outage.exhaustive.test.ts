import { describe, expect, test } from 'vitest';
import { run } from '../../src/cli/program.js';
import { FakeTerminal } from '../cli/fake-terminal.js';
import { readOpenMetrics } from '../server/support/open-metrics.js';
import { reply, startReceiver } from '../server/support/receiver.js';
import { missingPostgres, useOwnPostgres } from './support/database.js';
import { type ServedReplica, serveReplica } from './support/served-replica.js';

const phone = '+15551234567';
const otherPhone = '+442071838750';
const find = (number: string) => `/api/v1/contacts/find?phone=${encodeURIComponent(number)}`;
const soon = { interval: 50, timeout: 25_000 };

describe.skipIf(missingPostgres)('while the database is away', () => {
  const postgres = useOwnPostgres();

  /** What is asked for, and is neither of the page nor open. */
  const requests: readonly (readonly [string, object?])[] = [
    ['/api/v1/templates'],
    ['/api/v1/webhooks'],
    [find(phone)],
    ['/api/v1/contacts', { phone: otherPhone }],
    ['/api/v1/transactional', { phone, templateId: 'order_update', variables: { '1': 'Ada', '2': 'A-1' } }],
    ['/api/v1/events', { event: 'seen', phone }],
    ['/api/v1/webhooks', { url: 'https://app.example.com/hooks', events: ['message.received'] }],
    ['/control/clock'],
    ['/control/clock/advance', { by: '1s' }],
    ['/control/journal'],
    ['/control/deliveries'],
    ['/control/inbound-messages', { phone, body: 'Hello' }],
    ['/control/faults', { operation: 'templates.list', fault: { kind: 'rate_limit' } }],
    ['/control/workspaces'],
  ];

  async function refusals({ ask }: ServedReplica): Promise<readonly string[]> {
    const responses = await Promise.all(
      requests.map(async ([path, body]) => {
        const responded = await ask(path, body);
        const code = Reflect.get(Object(Reflect.get(Object(responded.body), 'error')), 'code');
        return `${path}: ${responded.status} ${code} ${responded.headers.get('retry-after')}`;
      }),
    );
    return responses;
  }

  test('every request is 503 with Retry-After, nothing is half done, and all comes back by itself', async () => {
    const { server, connectionString } = postgres();
    const store = ['--store', connectionString, '--store-schema', 'away', '--metrics'];
    const replica = await serveReplica([...store, '--api-key', 'test_key', '--receiver-addresses', 'any']);
    const { ask } = replica;
    const receiver = await startReceiver(reply(204));
    await ask('/api/v1/contacts', { phone });
    await ask('/api/v1/webhooks', { url: receiver.url, events: ['message.received'] });

    await server.end('SIGQUIT'); // without a checkpoint, as in a crash
    expect(await refusals(replica)).toEqual(requests.map(([path]) => `${path}: 503 service_unavailable 1`));
    const health = await ask('/health');
    expect([health.status, health.headers.get('retry-after')]).toEqual([503, '1']);
    expect(health.body).toEqual({
      status: 'unavailable',
      cause: {
        code: 'ECONNREFUSED',
        message: expect.stringContaining('Nothing listens at that host and port'),
      },
    });
    const metrics = readOpenMetrics(String((await ask('/metrics')).body));
    const samplesOf = (name: string) => [...(metrics.get(name)?.samples ?? [])];
    expect(samplesOf('messaging_automation_store_up')).toEqual([['messaging_automation_store_up', 0]]);
    expect(samplesOf('messaging_automation_store_latency_seconds')).toEqual([]);

    await server.start();
    await expect.poll(async () => (await ask('/health')).status, soon).toBe(200);
    expect((await ask(find(phone))).status).toBe(200);
    expect((await ask(find(otherPhone))).status).toBe(404);
    expect((await ask('/control/faults')).body).toMatchObject({ data: [] });
    expect(receiver.received).toHaveLength(0);
    await ask('/control/inbound-messages', { phone, body: 'Hello again' });
    await receiver.arrived(1);
    expect(String(receiver.received[0]?.body)).toContain('Hello again');
    const { password } = new URL(connectionString);
    expect(replica.terminal.output + replica.terminal.complaints).not.toContain(password);
  });

  test('an attempt under way counts when the database is back', async () => {
    const { server, connectionString } = postgres();
    const { ask } = await serveReplica(['--store', connectionString, '--store-schema', 'under_way']);
    let respond = () => {};
    const receiver = await startReceiver((response) => {
      respond = () => void response.writeHead(204).end();
    });
    await ask('/api/v1/webhooks', { url: receiver.url, events: ['message.received'] });
    await ask('/control/inbound-messages', { phone, body: 'Hello' });
    await receiver.arrived(1);
    await server.end('SIGQUIT');
    respond();
    await server.start();
    await expect
      .poll(async () => JSON.stringify((await ask('/control/deliveries')).body), soon)
      .toContain('"delivered"');
    expect(receiver.received).toHaveLength(1);
  });

  test('serve waits for it to start, and stops when it is told to', async () => {
    const { server, connectionString } = postgres();
    await server.end('SIGINT');
    const terminal = new FakeTerminal();
    const exit = run(['serve', '--port', '0', '--json', '--store', connectionString], terminal);
    await terminal.complaint(/Waiting for the database postgres/);
    await server.start();
    await terminal.line(/"type":"ready"/);
    await server.end('SIGINT');
    terminal.stop();
    expect(await exit).toBe(0);
    await server.start();
  });
});
