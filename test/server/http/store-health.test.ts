import { describe, expect, test } from 'vitest';
import { fromRequest, toResponse } from '../../../src/server/http/fetch-edge.js';
import { serveMetrics } from '../../../src/server/http/metrics/metrics-route.js';
import { ServerMetrics } from '../../../src/server/http/metrics/server-metrics.js';
import { serveOpenly } from '../../../src/server/http/open-routes.js';
import type { StoreHealth } from '../../../src/server/model/store-health.js';
import { emptyApplication } from '../support/application.js';
import { ManualClock } from '../support/manual-clock.js';
import { readOpenMetrics } from '../support/open-metrics.js';

const well: StoreHealth = {
  state: 'ok',
  latency: 2.5,
  postgres: '17.2',
  schemaVersion: 1,
  replicas: 3,
  pool: { total: 4, idle: 3, waiting: 2 },
  lease: 10_000,
  replica: 'replica "1"',
};
const { pool, lease, replica } = well;
const away: StoreHealth = { state: 'unreachable', pool, lease, replica };

/** Asks the open routes of a server whose store says this of itself. */
async function ask(path: string, health: StoreHealth, headers = {}): Promise<Response> {
  const clock = new ManualClock();
  const application = emptyApplication(clock);
  const store = { health: async () => health, counters: () => ({ claims: 3, takeovers: 1 }) };
  serveOpenly(application, store);
  serveMetrics(application, new ServerMetrics(clock), store);
  const request = new Request(`http://localhost${path}`, { headers });
  return toResponse(await application.answer(fromRequest(request)), request);
}

describe('GET /health of a server with a shared store', () => {
  test('is 503 with Retry-After while the store is out of reach', async () => {
    const response = await ask('/health', away);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toEqual({ status: 'unavailable' });
  });

  test('says without a key only that it is alive, and refuses one that is not valid', async () => {
    expect(await (await ask('/health', well)).json()).toEqual({ status: 'ok' });
    expect((await ask('/health', well, { Authorization: 'Bearer wrong' })).status).toBe(401);
  });
});

describe('GET /metrics of a server with a shared store', () => {
  const samplesOf = async (health: StoreHealth) =>
    Object.fromEntries(
      [...readOpenMetrics(await (await ask('/metrics', health)).text()).values()].flatMap(({ samples }) => [
        ...samples,
      ]),
    );

  test('has the store, and the replica as a label of the server alone', async () => {
    const samples = await samplesOf(well);
    expect(samples).toMatchObject({
      messaging_automation_store_up: 1,
      messaging_automation_store_latency_seconds: 0.0025,
      'messaging_automation_store_connections{state="idle"}': 3,
      'messaging_automation_store_connections{state="used"}': 1,
      messaging_automation_store_waiting: 2,
      messaging_automation_store_replicas: 3,
      'messaging_automation_store_events_total{event="claims"}': 3,
      'messaging_automation_store_events_total{event="takeovers"}': 1,
    });
    expect(Object.keys(samples).filter((name) => name.includes('replica='))).toEqual([
      expect.stringMatching(/^messaging_automation_server_info\{.*replica="replica \\"1\\""\}$/),
    ]);
  });

  test('goes on while the store is out of reach', async () => {
    const samples = await samplesOf(away);
    expect(samples.messaging_automation_store_up).toBe(0);
    expect(samples).not.toHaveProperty('messaging_automation_store_latency_seconds');
  });
});
