import { signWebhook, type UnwrapWebhookOptions, type WebhookDrift } from 'messaging-automation/webhooks';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { clockAt, messageBody, messageData, messageDelivery, secret } from './delivery-body.js';
import { refusal, unwrapBoth } from './unwrap-both.js';

const { body: _, ...withoutBody } = messageData;
const drifted = { ...messageDelivery, data: { ...withoutBody, phone: null } };
const driftedBody = JSON.stringify(drifted);

/** Unwraps by both functions, and gives what `onDrift` got along with the event. */
async function unwrapTold(body: string, options: UnwrapWebhookOptions = {}) {
  const drifts: WebhookDrift[] = [];
  const event = await unwrapBoth(body, { onDrift: (drift) => drifts.push(drift), ...options });
  return { event, drifts };
}

describe('a delivery whose details differ from the document', () => {
  test('is given, and onDrift gets each, with every field that differs', async () => {
    const { event, drifts } = await unwrapTold(driftedBody);
    expect(event).toEqual(drifted);
    const told = {
      event: drifted,
      problems: [
        { field: 'data.phone', message: 'must be a string' },
        { field: 'data.body', message: 'is required and must be a string' },
      ],
    };
    expect(drifts).toEqual([told, told]); // once by each function
  });

  test.each<[string, () => unknown]>([
    ['throws', () => expect.unreachable()],
    ['rejects, which ends no process', () => Promise.reject(new Error('a fault of the observer'))],
  ])('is given even if onDrift %s', async (_, onDrift) => {
    const note = vi.fn();
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    expect(await unwrapBoth(driftedBody, { onDrift })).toEqual(drifted);
    await new Promise(setImmediate);
    expect(note).not.toHaveBeenCalled();
  });

  test('is still refused when it is too old, and then no hook is called', async () => {
    const drifts: WebhookDrift[] = [];
    const clock = clockAt(25 * 60 * 60 * 1000);
    const error = await refusal(driftedBody, { clock, onDrift: (drift) => drifts.push(drift) });
    expect(error.reason).toBe('too_old');
    expect(drifts).toEqual([]);
  });
});

describe('the data of a delivery about consent', () => {
  const consent = (data: object) => ({ ...messageDelivery, event: 'contact.opted_out', data });

  test.each([{}, { contactId: 'contact_1' }, { reason: 7 }])('may be %j', async (data) => {
    expect((await unwrapTold(JSON.stringify(consent(data)))).drifts).toEqual([]);
  });

  test.each([7, null, ['contact_1']])(
    'is given and reported where its contactId is %j, which its type does not allow',
    async (contactId) => {
      const delivery = consent({ contactId });
      const { event, drifts } = await unwrapTold(JSON.stringify(delivery));
      expect(event).toEqual(delivery);
      expect(drifts[0]?.problems).toEqual([{ field: 'data.contactId', message: 'must be a string' }]);
    },
  );
});

test('a delivery as documented is no drift', async () => {
  expect((await unwrapTold(messageBody)).drifts).toEqual([]);
  expect(await unwrapBoth(messageBody, { validation: 'strict' })).toEqual(messageDelivery);
});

describe('validation', () => {
  test("'strict' refuses, naming each field and the way to take it, and tells nobody", async () => {
    const drifts: WebhookDrift[] = [];
    const error = await refusal(driftedBody, {
      validation: 'strict',
      onDrift: (drift) => drifts.push(drift),
    });
    expect(error.reason).toBe('unexpected_shape');
    expect(error.message).toContain('data.phone must be a string');
    expect(error.message).toContain('data.body is required and must be a string');
    expect(error.message).toContain("validation: 'strict'");
    expect(drifts).toEqual([]);
  });

  test("'off' gives, and tells nobody", async () => {
    const { event, drifts } = await unwrapTold(driftedBody, { validation: 'off' });
    expect(event).toEqual(drifted);
    expect(drifts).toEqual([]);
  });
});

test('without onDrift the process warns, once per event type, with nothing of the delivery in it', async () => {
  using emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
  vi.resetModules(); // for a copy that has not warned of anything yet
  const { unwrapWebhook } = await import('messaging-automation/webhooks');
  const oddWorkspace = { ...messageDelivery, workspaceId: 'canary'.split('') };
  for (const delivery of [
    drifted,
    { ...drifted, data: {} },
    { ...oddWorkspace, event: 'contact.opted_in' },
    { ...oddWorkspace, event: 'canary.1' },
    { ...oddWorkspace, event: 'canary.2' },
  ]) {
    const body = JSON.stringify(delivery);
    unwrapWebhook(body, signWebhook(body, secret), secret, { clock: clockAt() });
  }

  const warnings = emitWarning.mock.calls.map(([message]) => String(message));
  expect(warnings.map((message) => message.split(' differs')[0])).toEqual([
    'A delivery of message.received',
    'A delivery of contact.opted_in',
    'A delivery of unknown type',
  ]);
  expect(warnings[0]).toBe(
    'A delivery of message.received differs from the shape that the document shows: data.phone must be a string; ' +
      'data.body is required and must be a string. It was passed on nevertheless. Pass onDrift to handle this, or ' +
      'validation: "off" to ignore it.',
  );
  expect(warnings.join()).not.toMatch(/canary|conversation_1/);
  expect(emitWarning.mock.calls[0]?.[1]).toBe('MessagingAutomationDrift');
});
