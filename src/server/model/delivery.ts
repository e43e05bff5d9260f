import type { DeliveryRecord } from './records.js';

/** How much of a receiver's response the server reads and keeps. In bytes. */
export const answerLimit = 4096;

/**
 * A delivery as a test sees it: its body can be read, also where a test runner prints it. The bytes are there as `body`, which
 * is not printed.
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

/** The delivery with its body as text, and its bytes where no printing finds them. */
export function readable({ body, ...delivery }: DeliveryRecord): Delivery {
  const bytes: Pick<DeliveryRecord, 'body'> = Object.defineProperty({ body }, 'body', { enumerable: false });
  return Object.assign(bytes, delivery, { bodyText: utf8.decode(body) });
}
