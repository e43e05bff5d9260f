// The examples of receivers that only their own runtime can run as they stand.
import { equal } from './assertions.mjs';
import { secret } from './receiver-app.mjs';

/** The check of an example, by its name. */
export const exampleOf = (name) => ({
  async [`${name} handles what was signed and refuses the rest`]({ webhooks, send }) {
    const delivery = webhooks.signTestDelivery({ secret });
    const statusOf = async ({ headers, bytes }) =>
      (await send('/webhooks', { method: 'POST', headers, body: bytes })).status;
    equal(await statusOf(delivery.tampered()), 401);
    equal(await statusOf(delivery), 204);
  },
});
