import type { FieldProblem } from '../../foundation/options.js';
import { readSecret } from '../../webhooks/verification/secret.js';
import { isListenerUrl } from '../model/listener.js';
import { notRight } from '../model/service-error.js';
import { problemWithUrl, type ReceiverAddresses } from '../service/address-policy.js';
import type { ManagedWebhookSeed } from '../service/subscriptions.js';
import type { StateSnapshot } from './state-schema.js';

/**
 * Checks the URLs of a seed's managed subscriptions against the server's `receiverAddresses`.
 *
 * @throws ConfigurationError that names each URL that cannot receive deliveries.
 */
export function checkManagedUrls(
  webhooks: readonly ManagedWebhookSeed[],
  receiverAddresses: ReceiverAddresses,
): void {
  refuse("The workspace's seed", problemsWithUrls('managedWebhooks', webhooks, receiverAddresses));
}

/**
 * Checks a workspace's state that comes from outside by the rules for what is created by hand. What passes can be sent.
 *
 * @param what - What the state is of, for the error: "The snapshot".
 * @throws ConfigurationError that names each field that breaks a rule.
 */
export function checkState(what: string, state: StateSnapshot, receiverAddresses: ReceiverAddresses): void {
  const { workspace, contacts, events, journeyRuns, sends, subscriptions, deliveries } = state;
  const lists = {
    'workspace.templates': workspace.templates,
    'workspace.segments': workspace.segments,
    'workspace.journeys': workspace.journeys,
    ...{ contacts, events, journeyRuns, sends, subscriptions, deliveries },
  };
  refuse(what, [
    ...Object.entries(lists).flatMap(([name, list]) =>
      repeated(list.map(({ id }) => id)).map((place) => ({
        field: `${name}[${place}].id`,
        message: 'must be another id than those before it',
      })),
    ),
    ...repeated(contacts.map(({ phone }) => phone)).map((place) => ({
      field: `contacts[${place}].phone`,
      message: 'must be another phone than those before it',
    })),
    ...problemsWithUrls('subscriptions', subscriptions.map(sentTo), receiverAddresses),
    ...subscriptions.flatMap(({ secret }, place) =>
      problemWithSecret(secret, `subscriptions[${place}].secret`),
    ),
    ...problemsWithUrls(
      'deliveries',
      deliveries.map((delivery) => (delivery.status === 'pending' ? sentTo(delivery) : { url: undefined })),
      receiverAddresses,
    ),
  ]);
}

/** A listener takes its deliveries itself. */
function sentTo({ url }: { readonly url: string }): { readonly url: string | undefined } {
  return { url: isListenerUrl(url) ? undefined : url };
}

function refuse(what: string, problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw notRight(what, problems);
}

/** Nothing is sent to an `undefined` URL. */
function problemsWithUrls(
  name: string,
  receivers: readonly { readonly url: string | undefined }[],
  receiverAddresses: ReceiverAddresses,
): readonly FieldProblem[] {
  return receivers.flatMap(({ url }, place) => {
    if (url === undefined) return [];
    const message = problemWithUrl(url, receiverAddresses);
    return message === undefined ? [] : [{ field: `${name}[${place}].url`, message }];
  });
}

function problemWithSecret(secret: string, field: string): readonly FieldProblem[] {
  try {
    readSecret(secret);
    return [];
  } catch {
    return [{ field, message: 'must be a secret that can sign: not empty, and without a NUL' }];
  }
}

/** The places of the values that an earlier place has, too. */
function repeated(values: readonly string[]): readonly number[] {
  const seen = new Set<string>();
  return values.flatMap((value, place) => {
    if (seen.has(value)) return [place];
    seen.add(value);
    return [];
  });
}
