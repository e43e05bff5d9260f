import type { ReferenceServerOptions } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { control } from '../control-routes/support.js';
import { field, refusal } from '../support/reference.js';
import { openWorkspace } from '../support/subscribed.js';

/** A delivery that a receiver refused, and what checks it over HTTP as in a program. */
async function refusedDelivery(options: ReferenceServerOptions = {}) {
  const workspace = openWorkspace({ ...options, fetch: async () => new Response(null, { status: 401 }) });
  const { server, subscribe, receive } = workspace;
  const subscribed = await subscribe('https://app.example.com/hooks', ['message.received']);
  await receive('Grüße');
  await server.settled();
  const [delivery] = await server.journal.deliveries();
  const id = delivery?.id ?? '';
  const ask = control(server);
  return {
    ...workspace,
    id,
    subscribed,
    bodyText: delivery?.bodyText ?? '',
    async check(side: { readonly secret?: string; readonly body?: string }) {
      const { status, body } = await ask('POST', `/deliveries/${id}/check`, side);
      expect(status).toBe(200);
      expect(await server.deliveries.check(id, side)).toEqual(body);
      return Object(body);
    },
    refused: (side: unknown) => ask('POST', `/deliveries/${id}/check`, side),
  };
}

describe('what a receiver has', () => {
  test('is verified if it is right', async () => {
    const { check, subscribed, bodyText } = await refusedDelivery();
    const right = { verified: true, findings: [] };
    expect(await check({ secret: subscribed.secret })).toEqual(right);
    expect(await check({ body: bodyText })).toEqual(right);
    expect(await check({ secret: subscribed.secret, body: bodyText })).toEqual(right);
    expect(await check({})).toEqual(right);
  });

  test('is proven wrong, with the fault', async () => {
    const { check, subscribed, bodyText } = await refusedDelivery();
    const proven = (...faults: readonly string[]) => ({
      verified: false,
      findings: faults.map((fault) => expect.objectContaining({ fault, proven: true })),
    });
    const { secret } = subscribed;
    expect(await check({ secret: `${secret}\n` })).toEqual(proven('secret_white_space'));
    expect(await check({ secret: secret.replace('whsec_', '') })).toEqual(proven('secret_prefix_missing'));
    const rewritten = JSON.stringify(JSON.parse(bodyText), undefined, 2);
    expect(await check({ body: rewritten })).toEqual(proven('body_rewritten'));
    expect(await check({ secret: `"${secret}"`, body: rewritten })).toEqual(
      proven('body_rewritten', 'secret_quoted'),
    );
    expect(await check({ secret: 'whsec_unheard_of' })).toMatchObject({
      verified: false,
      findings: [{ fault: 'unexplained', proven: false }],
    });
  });

  test('is recognised as the secret of another subscription', async () => {
    const { check, subscribe, subscribed } = await refusedDelivery();
    const other = await subscribe('https://other.example.com/hooks');
    for (const secret of [other.secret, ` ${other.secret}\n`]) {
      const checked = await check({ secret });
      expect(checked).toMatchObject({
        verified: false,
        findings: [{ fault: 'secret_of_another_subscription', proven: true }],
      });
      const [{ explanation, advice }] = checked.findings;
      expect(explanation).toContain(
        `subscription ${other.id}, which delivers to https://other.example.com/hooks`,
      );
      expect(advice).toContain(subscribed.id);
    }
  });

  test('is verified after the subscription was deleted, if it includes the secret', async () => {
    const { check, refused, unsubscribe, subscribed, bodyText } = await refusedDelivery();
    await unsubscribe(subscribed);
    expect(await check({ secret: subscribed.secret })).toEqual({ verified: true, findings: [] });
    const { status, body } = await refused({ body: bodyText });
    expect([status, body]).toEqual([404, refusal('not_found')]);
  });

  test.each([
    [{ secret: '' }, []],
    [{ secret: 5 }, ['secret']],
    [{ secrets: 'whsec_1' }, ['secrets']],
  ])('is rejected if it is invalid: %j', async (side, fields) => {
    const { refused } = await refusedDelivery();
    const { status, body } = await refused(side);
    expect([status, body]).toEqual([400, refusal('invalid_request', ...fields)]);
  });

  test('stays out of responses, the log and the journal', async () => {
    const { server, log, check, refused, subscribe, subscribed } = await refusedDelivery();
    const other = await subscribe('https://other.example.com/hooks');
    const before = (await server.journal.entries()).length;
    const pasted = ['whsec_pasted_by_mistake', `${subscribed.secret}x`, other.secret];
    for (const secret of pasted) {
      const responses = [await check({ secret }), field(await refused({ secret: [secret] }), 'body')];
      expect(JSON.stringify(responses)).not.toContain(secret);
    }
    expect(await server.journal.entries()).toHaveLength(before);
    for (const secret of pasted) expect(JSON.stringify(log)).not.toContain(secret);
  });
});
