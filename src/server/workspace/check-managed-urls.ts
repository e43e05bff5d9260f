import { notRight } from '../model/not-right.js';
import { problemWithUrl, type ReceiverAddresses } from '../service/address-policy.js';
import type { ManagedWebhookSeed } from '../service/managed-webhook-seed.js';

/**
 * Checks the URLs of a seed's managed subscriptions against the server's `receiverAddresses`.
 *
 * @throws TypeError that names each URL that cannot receive deliveries.
 */
export function checkManagedUrls(
  webhooks: readonly ManagedWebhookSeed[],
  receiverAddresses: ReceiverAddresses,
): void {
  const problems = webhooks.flatMap(({ url }, index) => {
    const problem = problemWithUrl(url, receiverAddresses);
    return problem === undefined ? [] : [{ field: `managedWebhooks[${index}].url`, message: problem }];
  });
  if (problems.length > 0) throw notRight("The workspace's seed", problems);
}
