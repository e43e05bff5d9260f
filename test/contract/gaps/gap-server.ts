import { MessagingAutomation } from 'messaging-automation';
import {
  createReferenceServer,
  type ReferenceServerOptions,
  type SpecGaps,
} from 'messaging-automation/server';
import { expect, onTestFinished } from 'vitest';
import { askWith, field, type HttpResponse } from '../../server/support/reference.js';
import { templates } from '../environments/reference.js';
import { deliver, Receiver } from '../receiver.js';

export const phone = '+15551234567';

/** The body of a POST /v1/webhooks. */
export const receiver = { url: 'https://receiver.example.test/hooks', events: ['message.received'] as const };

/** The body of a POST /v1/transactional. */
export const order = { phone, templateId: 'order_update', variables: { '1': 'Ada', '2': 'A-1001' } };

/**
 * A reference server for one test, reached without a socket, with all its defaults but these gaps, time and a small quota,
 * and the SDK in front of it, which notes each drift.
 */
export function openServer(specGaps: Partial<SpecGaps> = {}, options: ReferenceServerOptions = {}) {
  const hooks = new Receiver('https://receiver.example.test');
  const server = createReferenceServer({
    clock: 'frozen',
    quota: 3,
    templates,
    specGaps,
    ...options,
    fetch: (input, init) => deliver(hooks, new Request(input, init)),
  });
  onTestFinished(() => server.close());
  const ask = askWith(server);
  const drifts: string[] = [];
  const messaging = new MessagingAutomation({
    apiKey: server.apiKey,
    baseUrl: 'http://localhost/api',
    fetch: (url, init) => server.fetch(new Request(url, init)),
    retries: 0,
    onDrift: ({ operation }) => drifts.push(operation),
  });
  /** Creates the contact, and returns its id. */
  async function create(properties = {}): Promise<string> {
    return String(field((await ask('POST', '/v1/contacts', { phone, properties })).body, 'id'));
  }
  return { server, hooks, ask, create, messaging, drifts };
}

/** Expects an error with this status and code, a sentence for its message, and a detail for each of these fields. */
export function expectRefusal(
  { status, body }: HttpResponse,
  expected: number,
  code: string,
  ...fields: readonly string[]
): void {
  const details = fields.map((name) => ({ field: name, message: expect.stringMatching(/^\w.+[^.]$/) }));
  const message = expect.stringMatching(/^\S.+\.$/);
  const error = { code, message, ...(details.length > 0 && { details }) };
  expect([status, body]).toEqual([expected, { error }]);
}
