import { verifyWebhook } from 'messaging-automation/webhooks';
import type { ReceiverAnswer, ReceiverCore } from '../../../../src/webhooks/receiver/exchange.js';
import { receivedHeader } from '../../../../src/webhooks/receiver/received-header.js';
import { UnreadableBodyError } from '../../../../src/webhooks/receiver/unreadable-body-error.js';
import { secret } from '../../delivery-body.js';
import { maxBodyBytes } from './faults.js';

/** Stands in for the receiver's core until there is one. */
export function stubCore(handle: () => Promise<void>): ReceiverCore<unknown> {
  const answer = (status: number): ReceiverAnswer => ({ status, headers: {}, body: '' });
  return {
    async receive({ method, headers, readBody }) {
      if (method !== 'POST') return answer(405);
      try {
        const signature = receivedHeader(headers, 'x-service-signature');
        if (typeof signature !== 'string' || signature.length !== 64) return answer(401);
        const body = await readBody(maxBodyBytes);
        if (!verifyWebhook(body, signature, secret)) return answer(401);
        await handle();
        return answer(204);
      } catch (error) {
        if (!(error instanceof UnreadableBodyError)) return answer(500);
        return answer(
          { too_large: 413, encoded: 415, aborted: 400, parsed: 500, consumed: 500 }[error.reason],
        );
      }
    },
  };
}
