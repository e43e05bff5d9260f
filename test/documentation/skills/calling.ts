import {
  type ClientOptions,
  createMemoryKeyValueStore,
  createOptOutList,
  MessagingAutomation,
  RequestError,
} from 'messaging-automation';
import { createReferenceServer, type ReferenceServerOptions } from 'messaging-automation/server';
import { expect, onTestFinished } from 'vitest';
import type { Scenarios } from './scenario.js';

const phone = '+15551234567';
const templates = [{ id: 'order_update', body: 'Hello {{1}}, your order {{2}} is on its way.' }];
const send = { phone, templateId: 'order_update', variables: { '1': 'Ada', '2': 'A-1001' } };

function start(options: ReferenceServerOptions = { templates, contacts: [{ phone }] }) {
  const server = createReferenceServer(options);
  onTestFinished(() => server.close());
  const client = (more: ClientOptions = {}) =>
    new MessagingAutomation({
      apiKey: server.apiKey,
      baseUrl: 'http://localhost/api',
      fetch: (url, init) => server.fetch(new Request(url, init)),
      ...more,
    });
  return { server, client };
}

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.unreachable('The call succeeded.'),
    (error: unknown) => error,
  );
}

export const callingScenarios: Scenarios = {
  'Create one client': async () => {
    const messaging = start().client();
    expect('close' in messaging).toBe(false);
  },
  'Phones are E.164': async () => {
    const messaging = start().client();
    const error = await failureOf(messaging.contacts.upsert({ phone: '555 123' }));
    expect(error).toMatchObject({ name: 'InvalidInputError' });
    await messaging.transactional.send(send);
  },
  'A send needs a contact': async () => {
    const messaging = start({ templates }).client();
    expect(await failureOf(messaging.transactional.send(send))).toMatchObject({ status: 404 });
    await messaging.contacts.upsert({ phone });
    const unknown = { ...send, templateId: 'other' };
    expect(await failureOf(messaging.transactional.send(unknown))).toMatchObject({ status: 422 });
    await messaging.transactional.send(send);
  },
  'Decide by `error.outcome`': async () => {
    const { server, client } = start();
    const messaging = client({ retries: 0 });
    const outcomes: unknown[] = [];
    const outcomeOf = async (call: Promise<unknown>) => {
      const error = await failureOf(call);
      outcomes.push(error instanceof RequestError && error.outcome);
    };
    await outcomeOf(messaging.transactional.send({ ...send, templateId: 'other' }));
    await server.faults.add({ operation: 'any', times: 1, fault: { kind: 'reset', when: 'after_commit' } });
    await outcomeOf(messaging.transactional.send(send));
    const unreachable = new MessagingAutomation({
      apiKey: 'key',
      baseUrl: 'http://127.0.0.1:9/api',
      retries: 0,
    });
    await outcomeOf(unreachable.transactional.send(send));
    expect(outcomes).toEqual(['rejected', 'unknown', 'not_sent']);
  },
  'Never wrap `transactional.send`': async () => {
    const { server, client } = start();
    const messaging = client({ idempotencyStore: createMemoryKeyValueStore(), retries: 0 });
    const job = async () => {
      await messaging.transactional.send(send, { idempotencyKey: 'order-1001-placed' });
      await messaging.events.track({ event: 'placed', phone }, { idempotencyKey: 'order-1001-placed' });
    };
    await job();
    await job();
    expect([await server.journal.sends(), await server.journal.events()]).toMatchObject([[{}], [{}]]);
    expect(await messaging.transactional.unsettled()).toEqual([]);
  },
  'For more than a few items': async () => {
    const messaging = start({ quota: 1, templates, contacts: [{ phone }] }).client();
    const summary = await messaging.transactional.sendMany([send, send, send]);
    expect(summary).toMatchObject({ done: 1, stoppedBecause: { reason: 'quota_exceeded' } });
  },
  '`contacts.find(phone)` returns `null`': async () => {
    expect(await start().client().contacts.find('+15557654321')).toBeNull();
  },
  'Send nothing to contacts who opted out': async () => {
    const optOuts = createOptOutList({ store: createMemoryKeyValueStore() });
    const messaging = start().client({ guards: [optOuts] });
    await messaging.transactional.send(send);
    await optOuts.add(phone);
    expect(await failureOf(messaging.transactional.send(send))).toMatchObject({ name: 'SendBlockedError' });
  },
  'The base URL contains `/api`': async () => {
    expect(() => start().client({ baseUrl: 'https://api.example.com/api/v1' })).toThrow(/baseUrl/);
  },
  'Plain `http:` is refused': async () => {
    const { client } = start();
    const baseUrl = 'http://messaging.internal/api';
    expect(() => client({ baseUrl })).toThrow(/allowInsecureHttp/);
    client({ baseUrl, allowInsecureHttp: true });
  },
  '`timeout` covers the whole call': async () => {
    const { server, client } = start();
    await server.faults.add({ operation: 'any', fault: { kind: 'stall' } });
    const error = await failureOf(client({ timeout: 1 }).templates.list());
    expect(error).toMatchObject({ name: 'TimeoutError' });
  },
  '`error instanceof RequestError`': async () => {
    const error = await failureOf(start().client().contacts.get('contact_9'));
    expect(error instanceof RequestError).toBe(true);
    expect(error).toMatchObject({ name: 'NotFoundError' });
  },
};
