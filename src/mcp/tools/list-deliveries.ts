import * as z from 'zod/mini';
import { controlOperations } from '../../server/http/control/control-operations.js';
import { deliveryView } from '../delivery-view.js';
import { contact, described, limit, optionalText, parameter, record } from '../fields.js';
import { latestOf } from '../latest.js';
import { fitting } from '../readable.js';
import { readingTool } from '../tool.js';

const { find } = controlOperations.deliveries;

const usual = 5;

export const listDeliveries = readingTool({
  name: 'list_deliveries',
  title: 'List webhook deliveries',
  description:
    'Lists the latest webhook deliveries, each with its body, status and attempts: when, the status and body of the ' +
    'response, or the error. Phone numbers and secrets in the body are masked, so its signature cannot be verified here. ' +
    'For why one failed and what to do, use explain_delivery. For one that has not arrived yet, use wait_for.',
  input: z.strictObject({
    id: optionalText('The id of one delivery.'),
    event: parameter(find, 'event'),
    contact,
    subscriptionId: parameter(find, 'subscriptionId'),
    status: parameter(find, 'status'),
    limit: limit(50, usual),
  }),
  output: z.object({
    deliveries: described(z.array(record), 'Oldest first.'),
    older: described(z.int(), 'How many deliveries match and are older than these.'),
    hint: optionalText('What to do next.'),
  }),
  run: async ({ id, limit: most = usual, ...filter }, call) => {
    const { items, older } = await latestOf(call, find, filter, {
      limit: most,
      keep: (delivery) => id === undefined || delivery.id === id,
    });
    const deliveries = fitting(items.map(deliveryView), 'end');
    const failing = items.find(({ status, attempts }) => status !== 'delivered' && attempts.length > 0);
    const advice =
      items.length === 0
        ? 'No delivery matches. A webhook needs a subscription: workspace_status lists them.'
        : failing && `explain_delivery says why ${failing.id} is ${failing.status}.`;
    return {
      deliveries,
      older: older + items.length - deliveries.length,
      ...(advice !== undefined && { hint: advice }),
    };
  },
});
