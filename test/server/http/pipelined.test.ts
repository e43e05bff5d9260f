import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../src/server/http/node-edge.js';
import { machineClock } from '../../../src/server/time/machine-clock.js';
import { settle, until, withResolvers } from '../../waiting.js';
import { emptyApplication } from '../support/application.js';
import { openConnection, requestHead } from '../support/raw-connection.js';
import { phone, startServer } from '../support/reference.js';

const statuses = (text: string) =>
  (text.match(/HTTP\/1\.1 \d+/g) ?? []).map((line) => Number(line.slice(-3)));

/** A server that responds with 204, and holds requests to `/held` until a test lets them go. */
async function startHeld() {
  const application = emptyApplication();
  const { promise: released, resolve: release } = withResolvers();
  const began: string[] = [];
  for (const method of ['GET', 'POST', 'PUT', 'DELETE'])
    for (const path of ['/held', '/quick'])
      application.handleOpenly(method, path, async () => {
        began.push(`${method} ${path}`);
        if (path === '/held') await released;
        return { status: 204, headers: {} };
      });
  const { server, url } = await listen(application, machineClock, {});
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { began, release, connect: () => openConnection(url) };
}

const asked = (line: string) => {
  const [method = '', path = ''] = line.split(' ');
  return requestHead(method, path, {});
};

describe('requests that a client sends before it has the responses to earlier ones', () => {
  test.each([
    [
      ['POST /held', 'GET /quick'],
      [204, 204],
    ],
    [
      ['GET /held', 'POST /quick'],
      [204, 204],
    ],
    [
      ['PUT /held', 'DELETE /quick', 'GET /quick'],
      [204, 204, 204],
    ],
    [
      ['DELETE /held', 'GET /nowhere', 'POST /quick'],
      [204, 404, 204],
    ],
    [
      ['POST /held', 'GET *', 'POST /quick'],
      [204, 400, 204],
    ],
  ])('run one after the other: %s', async (lines, expected) => {
    const { began, release, connect } = await startHeld();
    const connection = await connect();
    connection.send(lines.map(asked).join(''));
    await until('the first', () => began.length > 0);
    await settle();
    expect(began).toEqual(lines.slice(0, 1));
    release();
    expect(statuses(await connection.responses(lines.length))).toEqual(expected);
    expect(began).toEqual(lines.filter((line) => /(held|quick)$/.test(line)));
  });

  test('run one after the other also if each comes in a packet of its own', async () => {
    const { began, release, connect } = await startHeld();
    const connection = await connect();
    connection.send(asked('POST /held'));
    await until('the first', () => began.length > 0);
    connection.send(asked('GET /quick'));
    await settle();
    expect(began).toEqual(['POST /held']);
    release();
    expect(statuses(await connection.responses(2))).toEqual([204, 204]);
  });

  test('wait for the one right before, not only for the first', async () => {
    const { began, release, connect } = await startHeld();
    const connection = await connect();
    connection.send(['POST /quick', 'POST /held', 'GET /quick'].map(asked).join(''));
    await until('the second', () => began.length > 1);
    await settle();
    expect(began).toEqual(['POST /quick', 'POST /held']);
    release();
    expect(statuses(await connection.responses(3))).toEqual([204, 204, 204]);
  });

  test('never run once their client has gone', async () => {
    const { began, release, connect } = await startHeld();
    const connection = await connect();
    connection.send(asked('POST /held') + asked('POST /quick'));
    await until('the first', () => began.length > 0);
    connection.destroy();
    await settle();
    release();
    await settle();
    expect(began).toEqual(['POST /held']);
  });

  test('wait on their own connection alone', async () => {
    const { began, connect } = await startHeld();
    (await connect()).send(asked('POST /held') + asked('GET /quick'));
    await until('the first', () => began.length > 0);
    const other = await connect();
    other.send(asked('GET /quick'));
    expect(statuses(await other.responses(1))).toEqual([204]);
  });

  test('may be a thousand, and end their connection if they are more', async () => {
    const { began, release, connect } = await startHeld();
    const [patient, greedy] = [await connect(), await connect()];
    patient.send(asked('POST /held') + asked('GET /quick').repeat(1_000));
    greedy.send(asked('POST /held') + asked('GET /quick').repeat(1_001));
    expect(await greedy.closed()).toBe('');
    release();
    expect(statuses(await patient.responses(1_001))).toHaveLength(1_001);
    // Those that had their responses count no more.
    patient.send(asked('GET /quick').repeat(500));
    expect(statuses(await patient.responses(1_501))).toHaveLength(1_501);
    expect(began.filter((line) => line === 'POST /held')).toHaveLength(2);
  });
});

test('a read that is pipelined after a write sees what was written, with the body between them', async () => {
  const server = startServer({ apiKey: 'key' });
  const connection = await openConnection((await server.listen()).url);
  const headers = { Authorization: 'Bearer key', 'Content-Type': 'application/json' };
  const upsert = (city: string) => {
    const body = JSON.stringify({ phone, properties: { city } });
    return requestHead('POST', '/api/v1/contacts', { ...headers, 'Content-Length': `${body.length}` }) + body;
  };
  const find = requestHead('GET', `/api/v1/contacts/find?phone=${encodeURIComponent(phone)}`, headers);
  connection.send(find + upsert('Ulm') + find + upsert('Bonn') + find);
  const text = await connection.responses(5);
  expect(statuses(text)).toEqual([404, 201, 200, 200, 200]);
  expect(text.match(/"city":"\w+"/g)).toEqual(
    ['Ulm', 'Ulm', 'Bonn', 'Bonn'].map((city) => `"city":"${city}"`),
  );
});
