import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import type { ClientOptions, LogFields } from 'messaging-automation';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { type Behaviour, faults, inTurn, reply } from './support/behaviours.js';
import { manualClock } from './support/clocks.js';
import { contact, phone, send } from './support/samples.js';
import { type Call, listTemplates, sendOne, startClient } from './support/service.js';

/** What is logged of a call that ends, well or badly: the level and the text of each line, and its fields. */
async function logOf(behave: Behaviour, call: Call, options: ClientOptions = {}) {
  const text: string[] = [];
  const fields: LogFields[] = [];
  const keep = (level: string) => (given: LogFields, message: string) => {
    text.push(`${level}: ${message}`);
    fields.push(given);
  };
  const logger = { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
  const { messaging } = await startClient(behave, { logger, ...options });
  await call(messaging).catch(() => {});
  return { text, fields };
}

/** Has a request aborted, or its deadline come, once it has arrived. */
const stallThen =
  (then: () => void): Behaviour =>
  () =>
    setImmediate(then);

describe('the log of a call', () => {
  test('that succeeds', async () => {
    const created = reply(201, contact, { 'x-request-id': 'r1' });
    const { text, fields } = await logOf(created, ({ contacts }) => contacts.upsert({ phone }));

    expect(text).toEqual([
      'debug: contacts.upsert attempt 1: POST /v1/contacts',
      'info: contacts.upsert returned 201 after 0 ms and 1 attempt',
    ]);
    const call = { operation: 'contacts.upsert', method: 'POST', urlTemplate: '/v1/contacts', attempts: 1 };
    expect(fields).toEqual([call, { ...call, status: 201, requestId: 'r1', durationMs: 0 }]);
  });

  test('that is tried again', async () => {
    const unavailable = reply(503, { error: { code: 'unavailable' } });
    const options = { random: () => 1 / 3, backoff: { initial: 100 } };
    const behave = inTurn(unavailable, faults.reset, reply(200, contact));
    const { text, fields } = await logOf(behave, ({ contacts }) => contacts.get('c1'), options);

    expect(text).toEqual([
      'debug: contacts.get attempt 1: GET /v1/contacts/:id',
      'warn: contacts.get attempt 1 failed with ServerError 503 unavailable, the next follows in 83 ms',
      'debug: contacts.get attempt 2: GET /v1/contacts/:id',
      expect.stringMatching(
        /^warn: contacts.get attempt 2 failed with ConnectionError \w+, the next follows/,
      ),
      'debug: contacts.get attempt 3: GET /v1/contacts/:id',
      'info: contacts.get returned 200 after 0 ms and 3 attempts',
    ]);
    const failure = { attempts: 1, errorName: 'ServerError', status: 503, code: 'unavailable', delayMs: 83 };
    expect(fields[1]).toMatchObject(failure);
  });

  test('that fails', async () => {
    const refused = reply(422, { error: { code: 'send_failed', message: 'Ada is no name.' } });
    const { text, fields } = await logOf(refused, sendOne);

    expect(text[1]).toBe(
      'error: transactional.send failed with SendFailedError 422 send_failed after 0 ms and 1 attempt, outcome rejected',
    );
    expect(fields[1]).toMatchObject({ errorName: 'SendFailedError', outcome: 'rejected' });
  });

  test('that is never made', async () => {
    const { text } = await logOf(reply(200), ({ contacts }) => contacts.find('nobody'));

    expect(text).toEqual([
      'error: contacts.find failed with InvalidInputError after 0 ms and 0 attempts, outcome not_sent',
    ]);
  });

  test('that is too slow: the duration is that of the call', async () => {
    const clock = manualClock();
    const behave = stallThen(() => clock.advance(5_000));
    const { text } = await logOf(behave, sendOne, { clock, timeout: 5_000 });

    expect(text[1]).toBe(
      'error: transactional.send failed with TimeoutError after 5000 ms and 1 attempt, outcome unknown',
    );
  });

  test('that its caller aborts, which is no failure', async () => {
    const controller = new AbortController();
    const behave = stallThen(() => controller.abort(`enough of ${phone}`));
    const log = await logOf(behave, ({ transactional }) => transactional.send(send, controller));

    expect(log.text[1]).toBe(
      'info: transactional.send was aborted by its caller after 0 ms and 1 attempt, outcome unknown',
    );
    expect(inspect(log, { depth: null })).not.toContain(phone);
  });
});

describe('a logger', () => {
  test('may be that of pino, unchanged, and is asked by its own level', async () => {
    const written: unknown[] = [];
    const logger = pino({ level: 'debug' }, { write: (line: string) => written.push(JSON.parse(line)) });
    const quiet = logger.child({ app: 'a' }, { level: 'warn' });
    for (const each of [logger, quiet]) {
      const behave = inTurn(reply(503), reply(200, contact));
      const { messaging } = await startClient(behave, { logger: each, random: () => 0 });
      await messaging.contacts.get('c1');
    }

    const retried = { level: 40, status: 503, delayMs: 500, errorName: 'ServerError' };
    expect(written).toMatchObject([
      { level: 20, operation: 'contacts.get', attempts: 1, msg: expect.stringContaining('attempt 1: GET') },
      retried,
      { level: 20, attempts: 2 },
      { level: 30, status: 200, durationMs: 0, msg: expect.stringContaining('returned 200') },
      { ...retried, app: 'a' },
    ]);
  });

  test('may be the console', async () => {
    const written: string[] = [];
    const stream = new Writable({
      write(chunk, _, done) {
        written.push(String(chunk));
        done();
      },
    });
    await listTemplates((await startClient(reply(200, []), { logger: new Console(stream) })).messaging);

    expect(written.join('')).toContain("operation: 'templates.list'");
    expect(written.join('')).toContain('} templates.list returned 200 after 0 ms and 1 attempt\n');
  });
});
