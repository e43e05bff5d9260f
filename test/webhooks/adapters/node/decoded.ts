import type { RequestListener } from 'node:http';
import type { ReceiverCore } from 'messaging-automation/webhooks';
import { expect, test } from 'vitest';
import { seenAt } from '../support/environment.js';
import { recordingReceiver } from '../support/receiver.js';
import { delivery, withSignatures, wrongSignature } from '../support/sent.js';

/** A framework set up as many are: what decodes the body and keeps it as text, the option that keeps its bytes, and a receiver behind it. */
export type DecodingFramework = readonly [
  name: string,
  fix: string,
  listenerOf: (receiver: ReceiverCore<unknown>) => RequestListener | Promise<RequestListener>,
];

/** Tests a receiver behind each framework. */
export function describeDecoded(frameworks: readonly DecodingFramework[]): void {
  test.each(frameworks)(
    'text that %s kept is verified, and a mismatch names the option that keeps the bytes',
    async (_, fix, listenerOf) => {
      const { receiver, told, handled } = recordingReceiver();
      const listener = await listenerOf(receiver);

      expect(await seenAt(listener, delivery())).toBe(204);
      expect(await seenAt(listener, withSignatures(delivery(), wrongSignature))).toBe(401);
      expect(told).toMatchObject([{ message: expect.stringContaining(fix) }]);
      expect(handled).toHaveLength(1);
    },
  );
}
