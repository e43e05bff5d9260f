import { createWebhookReceiver } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import type { ReceiverCore } from '../../../../src/webhooks/receiver/exchange.js';
import { withResolvers } from '../../../waiting.js';
import { messageDelivery, secret } from '../../delivery-body.js';
import type { Environment } from './environment.js';
import { type Fault, faults, maxBodyBytes } from './faults.js';
import { delivery, type Seen, withSignatures } from './sent.js';

/**
 * Sends every fault to the adapter in each environment, one test each. For every cell, whatever it expects, a delivery
 * is acknowledged only if its handler ran to its end, and an error names the environment's own fix.
 */
export function describeMatrix(title: string, environments: readonly Environment[]): void {
  describe(title, () => {
    for (const environment of environments) {
      describe(environment.name, () => {
        for (const fault of faults) {
          const expected = environment.differs?.[fault.name] ?? fault.expected;
          if (expected === '–') continue;
          test(`${fault.name}: ${expected}`, async (context) => {
            const observed = await observe(environment, fault);
            if (observed === undefined) return context.skip(`${environment.name} cannot be set up so`);
            expect(String(observed.seen)).toBe(expected);
            const handled = observed.seen === 204 ? [messageDelivery.data.body] : [];
            expect(observed.handled, 'what the handler was given').toEqual(handled);
            for (const error of observed.errors) expectFix(environment, error);
          });
        }
      });
    }
  });
}

/** Expects the framework's own fix in an error that the framework's set-up can cause. */
function expectFix({ fix }: Environment, { reason, message }: ReportedError): void {
  if (reason === 'parsed' || reason === 'consumed') expect(message).toContain(fix);
  if (reason === 'signature_mismatch') expect(message).not.toContain('as text');
}

interface ReportedError extends Error {
  readonly reason?: string;
}

interface Observed {
  readonly seen: Seen;
  /** The text of each message whose handler ran to its end. */
  readonly handled: readonly string[];
  /** What the hooks got. */
  readonly errors: readonly ReportedError[];
}

async function observe(
  { open }: Environment,
  { conduct, sent, state }: Fault,
): Promise<Observed | undefined> {
  const [started, released] = [withResolvers(), withResolvers()];
  const handled: string[] = [];
  const errors: ReportedError[] = [];
  const report = (error: unknown) => error instanceof Error && errors.push(error);
  const options = { secret, maxBodyBytes, tolerance: false, onError: report, onRefused: report } as const;
  const receiver = createWebhookReceiver(options).on('message.received', async ({ data }) => {
    started.resolve();
    if (conduct === 'throws') throw new Error('The handler failed.');
    if (conduct === 'is slow') await released.promise;
    handled.push(data.body);
  });
  const responses: Promise<unknown>[] = [];
  const receive: ReceiverCore<unknown>['receive'] = (received) => {
    const response = receiver.receive(received);
    responses.push(response);
    return response;
  };
  const endpoint = await open({ receive }, state);
  if (endpoint === undefined) return undefined;
  const response = endpoint.send(sent);
  if (conduct === 'is slow') {
    let responded = false;
    void response.then(() => {
      responded = true;
    });
    await started.promise;
    await endpoint.send(withSignatures(delivery())); // another request goes all the way
    expect(responded, 'responded before its handler was done').toBe(false);
    released.resolve();
  }
  const seen = await response;
  // Nothing may be left waiting for a body that never comes, nor any connection.
  await Promise.all(responses);
  await endpoint.close();
  return { seen, handled, errors };
}
