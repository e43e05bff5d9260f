import type { RequestListener } from 'node:http';
import { type Clock, type ConformanceReport, checkConformance } from 'messaging-automation/conformance';
import { expect, test } from 'vitest';
import { serveRequests } from '../cli/http-servers.js';
import { reportOn as reportBehindProxy } from './matrices.js';
import { deploy } from './support/deployment.js';
import type { Fault } from './support/proxy.js';

const apiKey = 'canary_key_7f3a';

/** Every wait is over at the machine's next turn. */
const hasty: Clock = {
  now: () => 0,
  setTimer(callback) {
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};

const send = { phone: '+15551234567', templateId: 'order_update', variables: { '1': 'Ada' } };

async function reportOn(listener: RequestListener, clock?: Clock): Promise<ConformanceReport> {
  const baseUrl = await serveRequests(listener);
  return checkConformance({ baseUrl, apiKey, otherApiKey: 'canary_key_of_another', send, clock });
}

test.each<[string, RequestListener]>([
  [
    'pages of HTML as successes',
    (_, response) => response.setHeader('Content-Type', 'text/html').end('<h1>Hi</h1>'),
  ],
  ['half of a JSON text', (_, response) => response.end('{"id":"contact_1","proper')],
  ['JSON that is nested without end', (_, response) => response.end('['.repeat(100_000))],
  ['bytes that are no UTF-8', (_, response) => response.end(Buffer.from([0xff, 0xfe, 0x00, 0x80]))],
  [
    'ids that lead elsewhere',
    (_, response) => response.end('{"id":"..","properties":{"__proto__":{"a":1}}}'),
  ],
  ['a status of its own', (_, response) => response.writeHead(799).end()],
])('a deployment that responds %s is reported on', async (_, listener) => {
  const report = await reportOn(listener);

  expect(report.totals.broken).toBeGreaterThan(0);
  expect(report.requests).toBeLessThan(200);
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
});

test.each<[string, RequestListener]>([
  ['cuts the connection', (request) => request.socket.destroy()],
  ['speaks something else', (request) => request.socket.end('SSH-2.0-OpenSSH\r\n')],
])('a deployment that %s is not asked without end', async (_, listener) => {
  const report = await reportOn(listener);

  expect(report.totals).toMatchObject({ held: 0 });
  expect(report.totals.broken).toBeGreaterThan(0);
  expect(report.requests).toBeLessThan(10);
  expect(report.checks.map(({ seen }) => seen).join('\n')).toContain('a deployment that responds');
});

test.each<[string, RequestListener]>([
  ['never responds', () => {}],
  ['never ends its response', (_, response) => void response.writeHead(200).write('{')],
])('a deployment that %s is given up', async (_, listener) => {
  const report = await reportOn(listener, hasty);

  expect(report.checks.find(({ verdict }) => verdict === 'broken')?.seen).toBe(
    'no response: none within 10 s',
  );
  expect(report.requests).toBeLessThan(10);
});

test('a body without end is cut', async () => {
  const open = new Set<() => void>();
  const report = await reportOn((_, response) => {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', write).on('close', () => open.delete(write));
    open.add(write);
    write();
  });

  expect(report.checks.map(({ seen }) => seen).join('\n')).toContain('a body that is too long');
});

test('a list of subscriptions without end is not worked off', async () => {
  let made = 0;
  const report = await reportOn((request, response) => {
    if (request.method === 'GET' && request.url === '/v1/webhooks') {
      made += 1;
      const url = 'https://example.invalid/messaging-automation/conformance';
      const data = made === 1 ? [] : Array.from({ length: 5_000 }, (_, index) => ({ id: `s${index}`, url }));
      return void response.end(JSON.stringify({ data }));
    }
    response.writeHead(request.method === 'DELETE' ? 500 : 503).end();
  });

  expect(report.requests).toBeLessThan(400);
  expect(report.leftBehind.length).toBeGreaterThan(0);
});

test('a redirect is not followed', async () => {
  let strayed = 0;
  const elsewhere = await serveRequests((_, response) => {
    strayed += 1;
    response.end();
  });
  const report = await reportOn((request, response) => {
    response.writeHead(307, { Location: `${elsewhere}${request.url}` }).end();
  });

  expect(report.totals.broken).toBeGreaterThan(0);
  expect(strayed).toBe(0);
});

test('a key that is refused is one statement, and nothing else is asked', async () => {
  const report = await reportOn((_, response) => response.writeHead(401).end());
  const broken = report.checks.filter(({ verdict }) => verdict === 'broken');

  expect(broken.map(({ statement }) => statement)).toEqual([
    'a request with Authorization: Bearer <API_KEY> is accepted',
  ]);
  expect(report.requests).toBe(2);
});

test('nothing that is secret is in a report, even where the deployment says it', async () => {
  const phones = new Set<string>();
  const secrets = [apiKey, 'canary_key_of_another', 'whsec_canary', '15551234567'];
  const report = await reportOn(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const [phone = ''] = /1\d{10}/.exec(`${body} ${request.url}`) ?? [];
    if (phone !== '') phones.add(phone);
    const said = `${request.headers.authorization} ${phone} whsec_canary +15551234567`;
    const isError = request.url?.includes('find') || request.method === 'DELETE';
    response.writeHead(isError ? 404 : 200, { 'Content-Type': said.replaceAll(' ', '_') });
    response.end(
      JSON.stringify({ error: { code: said }, [said]: { [said]: said }, id: said, properties: {} }),
    );
  });
  const text = JSON.stringify(report);

  expect(phones.size).toBeGreaterThan(2);
  for (const secret of [...secrets, ...phones]) expect(text).not.toContain(secret);
});

test('a deployment that stops responding on the way is reported up to there, and named as it was left', async () => {
  await using deployment = await deploy();
  let requests = 0;
  const api: Fault['api'] = (request, service) => {
    requests += 1;
    if (requests > 20) throw new Error('The proxy cuts the connection.');
    return service.ask(request);
  };
  const { totals, leftBehind } = await reportBehindProxy(deployment, { api }, { deliveries: undefined });

  expect(totals.held).toBeGreaterThan(5);
  expect(totals.not_checked).toBeGreaterThan(20);
  expect(leftBehind.length).toBeGreaterThan(0);
});

test('what was made is removed where a deployment responds again after it was given up', async () => {
  await using deployment = await deploy();
  let made = false;
  let cut = 0;
  const api: Fault['api'] = async (request, service) => {
    // Three requests in a row that get no response: what comes after is only the removal.
    if (made && cut < 3) {
      cut += 1;
      throw new Error('The proxy cuts the connection.');
    }
    const response = await service.ask(request);
    made ||= request.method === 'POST' && response.status === 201;
    return response;
  };
  const { leftBehind } = await reportBehindProxy(deployment, { api });

  expect(cut).toBe(3);
  expect(leftBehind).toEqual([]);
  expect((await deployment.server.snapshot()).contacts).toEqual([]);
});
