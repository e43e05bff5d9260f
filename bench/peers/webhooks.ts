import { createHmac, timingSafeEqual } from 'node:crypto';
import { Webhooks as Octokit } from '@octokit/webhooks';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { signWebhook, unwrapWebhook, verifyWebhook } from '../../dist/webhooks.js';

/** A library with a delivery that it accepts. */
export interface WebhookPeer {
  readonly name: string;
  verify(): unknown;
}

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

/** Those that say whether a delivery is genuine, plain node:crypto first. */
export async function createVerifyPeers(payload: string): Promise<readonly WebhookPeer[]> {
  const body = Buffer.from(payload);
  const signature = signWebhook(body, secret);
  const { webhooks } = new Stripe('key');
  const stripeHeader = webhooks.generateTestHeaderString({ payload, secret });
  const octokit = new Octokit({ secret });
  const octokitSignature = await octokit.sign(payload);
  const peers: readonly WebhookPeer[] = [
    { name: 'createHmac', verify: () => plainlyVerify(body, signature) },
    { name: 'verifyWebhook', verify: () => verifyWebhook(body, signature, secret) },
    { name: '@octokit/webhooks', verify: () => octokit.verify(payload, octokitSignature) },
    { name: 'stripe', verify: () => webhooks.signature?.verifyHeader(body, stripeHeader, secret) },
    ...standardPeers(payload),
  ];
  for (const { name, verify } of peers) {
    if (!(await verify())) throw new Error(`${name} does not accept its delivery.`);
  }
  return peers;
}

/** Those that give the delivery's content when it is genuine, stripe first. */
export async function createUnwrapPeers(payload: string): Promise<readonly WebhookPeer[]> {
  const body = Buffer.from(payload);
  const signature = signWebhook(body, secret);
  const { webhooks } = new Stripe('key');
  const stripeHeader = webhooks.generateTestHeaderString({ payload, secret });
  unwrapWebhook(body, signature, secret, { validation: 'strict' }); // one that drifts would take another way
  return [
    { name: 'stripe', verify: () => webhooks.constructEvent(body, stripeHeader, secret) },
    { name: 'unwrapWebhook', verify: () => unwrapWebhook(body, signature, secret) },
    {
      name: 'createHmac and JSON.parse',
      verify: () => plainlyVerify(body, signature) && JSON.parse(body.toString()),
    },
    ...standardPeers(payload),
  ];
}

/** Standard Webhooks are always verified and parsed in one. */
function standardPeers(payload: string): readonly WebhookPeer[] {
  const at = new Date();
  const seconds = String(Math.floor(at.getTime() / 1_000));
  return [
    { name: 'svix', webhook: new SvixWebhook(secret) },
    { name: 'standardwebhooks', webhook: new StandardWebhook(secret) },
  ].map(({ name, webhook }) => {
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': seconds,
      'webhook-signature': webhook.sign('msg_1', at, payload),
    };
    return { name, verify: () => webhook.verify(payload, headers) };
  });
}

function plainlyVerify(body: Uint8Array, signature: string): boolean {
  const expected = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
