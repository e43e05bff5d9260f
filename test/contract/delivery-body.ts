import type { Delivery } from './receiver.js';

/** A delivery's body as JSON, whatever it turns out to hold. */
export function bodyOf(delivery: Delivery | undefined): Readonly<Record<string, unknown>> {
  const body: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(delivery?.body));
  if (typeof body !== 'object' || body === null) throw new TypeError('A delivery is a JSON object (§6).');
  return { ...body };
}
