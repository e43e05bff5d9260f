import { describe, expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { readOpenMetrics } from '../support/open-metrics.js';
import { askWith, otherPhone, phone, startServer, startWithApi } from '../support/reference.js';

async function metricsOf(server: { fetch(request: Request): Promise<Response> }) {
  const response = await server.fetch(new Request('http://localhost/metrics'));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  );
  const text = await response.text();
  return { text, families: readOpenMetrics(text) };
}

/** The samples of a metric, without its name. */
function samplesOf({ families }: Awaited<ReturnType<typeof metricsOf>>, name: string) {
  const all = [...(families.get(`messaging_automation_${name}`)?.samples ?? [])];
  return Object.fromEntries(
    all.map(([key, value]) => [key.replace(`messaging_automation_${name}`, ''), value]),
  );
}

describe('GET /metrics', () => {
  test('is there only where it was asked for', async () => {
    const { status } = await askWith(startServer())('GET', '/../metrics');
    expect(status).toBe(404);
  });

  test('counts requests by operation and class of the status, over a socket too', async () => {
    const { server, ask } = startWithApi({ metrics: true });
    await ask('POST', '/v1/contacts', { phone });
    await ask('POST', '/v1/contacts', { phone: 'none' });
    await ask('GET', '/v1/contacts/contact_1');
    await ask('HEAD', '/v1/templates');
    await ask('GET', '/v1/templates', undefined, { Authorization: undefined });
    await ask('PATCH', '/v1/templates');
    await ask('GET', `/v1/nothing/${phone}`);
    await ask('GET', '/../control/clock');
    await ask('GET', '/../health');
    const { url } = await server.listen();
    await (await fetch(`${url}/health`)).text();
    expect(samplesOf(await metricsOf(server), 'requests')).toEqual({
      '_total{operation="contacts.upsert",status="2xx"}': 1,
      '_total{operation="contacts.upsert",status="4xx"}': 1,
      '_total{operation="contacts.get",status="4xx"}': 1,
      '_total{operation="templates.list",status="2xx"}': 1,
      '_total{operation="templates.list",status="4xx"}': 1,
      '_total{operation="unknown",status="4xx"}': 2,
      '_total{operation="control",status="2xx"}': 1,
      '_total{operation="open",status="2xx"}': 2,
    });
  });

  test('counts what breaks: a reset connection, and an error of the server', async () => {
    const server = startServer({
      metrics: true,
      newId(kind) {
        if (kind === 'contact') throw new Error('kaputt');
        return `${kind}_${Math.random()}`;
      },
    });
    const ask = askWith(server);
    await ask('POST', '/v1/contacts', { phone });
    await server.faults.add({ operation: 'templates.list', fault: { kind: 'reset', when: 'before_commit' } });
    await expect(ask('GET', '/v1/templates')).rejects.toThrow();
    expect(samplesOf(await metricsOf(server), 'requests')).toEqual({
      '_total{operation="contacts.upsert",status="5xx"}': 1,
      '_total{operation="templates.list",status="reset"}': 1,
    });
  });

  test('measures requests by the machine’s clock', async () => {
    const durations = [30, 25];
    const systemClock = new ManualClock();
    const server = startServer({
      metrics: true,
      systemClock,
      newId(kind) {
        if (kind === 'contact') systemClock.pass(durations.shift() ?? 0);
        return `${kind}_${durations.length}`;
      },
    });
    for (const each of [phone, otherPhone]) await askWith(server)('POST', '/v1/contacts', { phone: each });
    const samples = samplesOf(await metricsOf(server), 'request_duration_seconds');
    const at = (limit: string) => samples[`_bucket{operation="contacts.upsert",le="${limit}"}`];
    expect([at('0.01'), at('0.025'), at('0.05'), at('+Inf')]).toEqual([0, 1, 2, 2]);
    expect(samples['_count{operation="contacts.upsert"}']).toBe(2);
    expect(samples['_sum{operation="contacts.upsert"}']).toBeCloseTo(0.055, 9);
  });

  test('says which package runs since when, and nothing of anybody', async () => {
    const server = startServer({ metrics: true, apiKey: 'secret_key' });
    await askWith(server)('POST', '/v1/contacts', { phone });
    const { text, families } = await metricsOf(server);
    expect([...(families.get('messaging_automation_server')?.samples.keys() ?? [])]).toEqual([
      expect.stringMatching(/^messaging_automation_server_info\{version="[^"]+"\}$/),
    ]);
    const started = families.get('process_start_time_seconds')?.samples.get('process_start_time_seconds');
    expect(started).toBe(performance.timeOrigin / 1000);
    expect(text).not.toMatch(/15551234567|secret_key|contact_/);
  });
});
