import * as z from 'zod/mini';
import { controlOperations } from '../../server/http/control/control-operations.js';
import { deliveryId, record } from '../fields.js';
import { readingTool } from '../tool.js';

export const explainDelivery = readingTool({
  name: 'explain_delivery',
  title: 'Explain why a delivery failed',
  description:
    'Says why a webhook delivery failed or waits: its causes, the most likely first, each with how certain it is and what to do, ' +
    'and whether the signature matches. For the body and the attempts, use list_deliveries. After the fix, use redeliver.',
  input: z.strictObject({ id: deliveryId }),
  output: z.object({
    deliveryId: z.string(),
    status: z.string(),
    causes: z.array(record),
    signature: record,
    clocks: record,
  }),
  run: async ({ id }, call) => {
    const { status, causes, signature, clocks } = await call.ask(controlOperations.deliveries.explain, {
      path: { id },
    });
    const { header, matches } = signature;
    return {
      deliveryId: id,
      status,
      causes: causes.map((cause) => ({ ...cause })),
      signature: { header, ...(matches !== undefined && { matches }) },
      clocks: { ...clocks },
    };
  },
});
