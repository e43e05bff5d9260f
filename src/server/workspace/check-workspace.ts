import { isListenerUrl } from '../model/listener.js';
import { notRight } from '../model/service-error.js';
import { problemWithUrl, type ReceiverAddresses } from '../service/address-policy.js';
import type { StateSnapshot } from './state-schema.js';

/** Something with the URL to which its deliveries are sent. Undefined if nothing is sent. */
interface Receiver {
  readonly url: string | undefined;
}

/**
 * Checks URLs in a seed or a state against the server's `receiverAddresses`.
 *
 * @param what - What has the URLs, for the error: "The snapshot".
 * @param lists - The receivers, by the name of their list.
 * @throws ConfigurationError that names each URL that cannot receive deliveries.
 */
export function checkReceivers(
  what: string,
  lists: Readonly<Record<string, readonly Receiver[]>>,
  receiverAddresses: ReceiverAddresses,
): void {
  const problems = Object.entries(lists).flatMap(([name, receivers]) =>
    receivers.flatMap(({ url }, place) => {
      const message = url === undefined ? undefined : problemWithUrl(url, receiverAddresses);
      return message === undefined ? [] : [{ field: `${name}[${place}].url`, message }];
    }),
  );
  if (problems.length > 0) throw notRight(what, problems);
}

/** The receivers in a workspace's state. */
export function receiversIn({ subscriptions, deliveries }: StateSnapshot) {
  return {
    subscriptions: subscriptions.map(sentTo),
    deliveries: deliveries.map((delivery) =>
      delivery.status === 'pending' ? sentTo(delivery) : { url: undefined },
    ),
  };
}

/** A listener takes its deliveries itself. */
function sentTo({ url }: { readonly url: string }): Receiver {
  return { url: isListenerUrl(url) ? undefined : url };
}
