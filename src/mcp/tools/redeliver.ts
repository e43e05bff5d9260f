import * as z from 'zod/mini';
import { controlOperations } from '../../server/http/control/control-operations.js';
import { deliveryId, hint } from '../fields.js';
import { tool } from '../tool.js';

export const redeliver = tool({
  name: 'redeliver',
  title: 'Send a delivery again',
  description:
    'Sends the same bytes of a delivery to the same subscription again, as a new delivery. Use it after you fixed the receiver. ' +
    'A pending delivery is retried without it: use advance_clock with to=next. For a new message, use send_as_contact.',
  effects: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  input: z.strictObject({ id: deliveryId }),
  output: z.object({ id: z.string(), redeliveryOf: z.string(), event: z.string(), status: z.string(), hint }),
  run: async ({ id }, call) => {
    const delivery = await call.ask(controlOperations.deliveries.redeliver, { path: { id } });
    return {
      id: delivery.id,
      redeliveryOf: id,
      event: delivery.event,
      status: delivery.status,
      hint: `The attempt runs in the background: list_deliveries with id=${delivery.id} shows how it ends.`,
    };
  },
});
