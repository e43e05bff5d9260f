import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import {
  type ClientOptions,
  ConfigurationError,
  type LogFields,
  type Logger,
  type MessagingAutomation,
} from 'messaging-automation';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { eagerClock, manualClock } from './support/clocks.js';
import {
  answer,
  type Behaviour,
  clientOf,
  faults,
  inTurn,
  phone,
  rejection,
  startService,
} from './support/service.js';

const contact = { id: 'c1', properties: { phone } };
const send = { phone, templateId: 'order_update' };

/** A logger that keeps what it is told. */
function keepingLogger() {
  const lines: { readonly level: string; readonly message: string; readonly fields: LogFields }[] = [];
  const keep = (level: string) => (fields: LogFields, message: string) => {
    lines.push({ level, message, fields });
  };
  const logger: Logger = {
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  };
  return { logger, lines, text: () => lines.map(({ level, message }) => `${level}: ${message}`) };
}

/** What is logged of a call that ends, well or badly. */
async function logOf(
  behave: Behaviour,
  call: (messaging: MessagingAutomation) => Promise<unknown>,
  options: ClientOptions = {},
) {
  const { logger, lines, text } = keepingLogger();
  const service = await startService(behave);
  await call(clientOf(service, { logger, clock: eagerClock(), ...options })).catch(() => {});
  return { fields: lines.map(({ fields }) => fields), text: text() };
}

describe('the log of a call', () => {
  test('that succeeds', async () => {
    const created = answer(201, contact, { 'x-request-id': 'r1' });
    const { text, fields } = await logOf(created, ({ contacts }) => contacts.upsert({ phone }));

    expect(text).toEqual([
      'debug: contacts.upsert attempt 1: POST /v1/contacts',
      'info: contacts.upsert was answered 201 after 0 ms and 1 attempt',
    ]);
    const call = { operation: 'contacts.upsert', method: 'POST', urlTemplate: '/v1/contacts', attempts: 1 };
    expect(fields).toEqual([call, { ...call, status: 201, requestId: 'r1', durationMs: 0 }]);
  });

  test('that is tried again', async () => {
    const unavailable = answer(503, { error: { code: 'unavailable' } });
    const options = { random: () => 1 / 3, backoff: { initial: 100 } };
    const behave = inTurn(unavailable, faults.reset, answer(200, contact));
    const { text, fields } = await logOf(behave, ({ contacts }) => contacts.get('c1'), options);

    expect(text).toEqual([
      'debug: contacts.get attempt 1: GET /v1/contacts/:id',
      'warn: contacts.get attempt 1 failed with ServerError 503 unavailable, the next follows in 83 ms',
      'debug: contacts.get attempt 2: GET /v1/contacts/:id',
      expect.stringMatching(
        /^warn: contacts.get attempt 2 failed with ConnectionError \w+, the next follows/,
      ),
      'debug: contacts.get attempt 3: GET /v1/contacts/:id',
      'info: contacts.get was answered 200 after 0 ms and 3 attempts',
    ]);
    const failure = { attempts: 1, errorName: 'ServerError', status: 503, code: 'unavailable', delayMs: 83 };
    expect(fields[1]).toMatchObject(failure);
  });

  test('that fails', async () => {
    const refused = answer(422, { error: { code: 'send_failed', message: 'Ada is no name.' } });
    const { text, fields } = await logOf(refused, ({ transactional }) => transactional.send(send));

    expect(text[1]).toBe(
      'error: transactional.send failed with SendFailedError 422 send_failed after 0 ms and 1 attempt, outcome rejected',
    );
    expect(fields[1]).toMatchObject({ errorName: 'SendFailedError', outcome: 'rejected' });
  });

  test('that is never made', async () => {
    const { text } = await logOf(answer(200), ({ contacts }) => contacts.find('nobody'));

    expect(text).toEqual([
      'error: contacts.find failed with InvalidInputError after 0 ms and 0 attempts, outcome not_sent',
    ]);
  });

  test('that a middleware breaks', async () => {
    const middleware = [() => Promise.reject(new RangeError('Oops.'))];
    const { text } = await logOf(answer(200, []), ({ templates }) => templates.list(), { middleware });

    expect(text[1]).toBe(
      'error: templates.list failed with MiddlewareError after 0 ms and 1 attempt, outcome not_sent',
    );
  });

  test('that is too slow: the duration is that of the call', async () => {
    const { logger, text } = keepingLogger();
    const clock = manualClock();
    const service = await startService(faults.stall);
    const failed = rejection(clientOf(service, { logger, clock, timeout: 5_000 }).transactional.send(send));
    await service.received(1);
    clock.advance(5_000);
    await failed;

    expect(text()[1]).toBe(
      'error: transactional.send failed with TimeoutError after 5000 ms and 1 attempt, outcome unknown',
    );
  });

  test('that its caller aborts once it has failed', async () => {
    const { logger, text } = keepingLogger();
    const service = await startService(answer(429, {}, { 'retry-after': '3' }));
    const controller = new AbortController();
    // Asked for when the failure is known and the next wait is drawn, which would outlast the deadline.
    const random = () => {
      controller.abort();
      return 0;
    };
    const messaging = clientOf(service, { logger, clock: manualClock(), timeout: 3_000, random });
    await rejection(messaging.templates.list({ signal: controller.signal }));

    expect(text()[1]).toMatch(/^error: templates.list failed with RateLimitError 429/);
  });

  test('that its caller aborts, which is no failure', async () => {
    const { logger, lines, text } = keepingLogger();
    const service = await startService(faults.stall);
    const controller = new AbortController();
    const messaging = clientOf(service, { logger, clock: eagerClock() });
    const failed = rejection(messaging.transactional.send(send, { signal: controller.signal }));
    await service.received(1);
    controller.abort(`enough of ${phone}`);
    await failed;

    expect(text()[1]).toBe(
      'info: transactional.send was aborted by its caller after 0 ms and 1 attempt, outcome unknown',
    );
    expect(inspect(lines)).not.toContain(phone);
  });
});

describe('a logger', () => {
  test('may be that of pino, unchanged', async () => {
    const written: string[] = [];
    const logger = pino({ level: 'debug' }, { write: (line: string) => written.push(line) });
    const service = await startService(inTurn(answer(503), answer(200, contact)));
    await clientOf(service, { logger, clock: eagerClock(), random: () => 0 }).contacts.get('c1');

    expect(written.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 20,
        operation: 'contacts.get',
        attempts: 1,
        msg: 'contacts.get attempt 1: GET /v1/contacts/:id',
      },
      { level: 40, status: 503, delayMs: 500, errorName: 'ServerError' },
      { level: 20, attempts: 2 },
      { level: 30, status: 200, durationMs: 0, msg: expect.stringContaining('was answered 200') },
    ]);
  });

  test('of pino is asked by its own level', async () => {
    const written: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => written.push(line) }).child({
      app: 'a',
    });
    const service = await startService(inTurn(answer(503), answer(200, contact)));
    await clientOf(service, { logger, clock: eagerClock() }).contacts.get('c1');

    expect(written.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, app: 'a', status: 503 }]);
  });

  test('may be the console', async () => {
    const written: string[] = [];
    const stream = new Writable({
      write(chunk, _, done) {
        written.push(String(chunk));
        done();
      },
    });
    const service = await startService(answer(200, []));
    await clientOf(service, { logger: new Console(stream), clock: eagerClock() }).templates.list();

    expect(written.join('')).toContain("operation: 'templates.list'");
    expect(written.join('')).toContain('} templates.list was answered 200 after 0 ms and 1 attempt\n');
  });

  test('need not have every level', async () => {
    const messages: string[] = [];
    const service = await startService(inTurn(answer(503), answer(200, [])));
    const logger: Logger = { warn: (_, message) => messages.push(message) };
    await clientOf(service, { logger, clock: eagerClock() }).templates.list();

    expect(messages).toHaveLength(1);
  });

  test.each([{}, { log: () => {} }, 'console', null])('must be one: %o is none', (logger) => {
    const makeClient = () =>
      Reflect.apply(clientOf, undefined, [{ baseUrl: 'https://a.test/api' }, { logger }]);

    expect(makeClient).toThrow(ConfigurationError);
    expect(makeClient).toThrow(
      'logger must be an object with at least one of the methods debug, info, warn, error',
    );
  });
});
