import type { DeliveryRecord } from './records.js';

/** How much of a receiver's response the server reads and keeps. In bytes. */
export const answerLimit = 4096;

/**
 * A delivery with its body as text, so that a test runner can print it. `body` has the exact bytes. It is not enumerable, so
 * that test runners do not print it.
 *
 * @example
 * ```ts
 * import { createReferenceServer, type Delivery } from 'messaging-automation/server';
 *
 * await using server = createReferenceServer();
 * const deliveries: readonly Delivery[] = await server.journal.deliveries();
 * for (const { bodyText, status } of deliveries) console.log(status, bodyText);
 * ```
 */
export interface Delivery extends DeliveryRecord {
  /** The body as text. */
  readonly bodyText: string;
}

const utf8 = new TextDecoder();

/** Adds the body as text, and makes the bytes non-enumerable. */
export function readable({ body, ...delivery }: DeliveryRecord): Delivery {
  const bytes: Pick<DeliveryRecord, 'body'> = Object.defineProperty({ body }, 'body', { enumerable: false });
  return Object.assign(bytes, delivery, { bodyText: utf8.decode(body) });
}
