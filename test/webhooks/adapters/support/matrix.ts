import { createWebhookReceiver } from 'messaging-automation/webhooks';
import { describe, expect, test } from 'vitest';
import type { ReceiverCore } from '../../../../src/webhooks/receiver/exchange.js';
import { messageDelivery, secret } from '../../delivery-body.js';
import type { Endpoint, Environment } from './environment.js';
import { type Conduct, type Fault, faults, maxBodyBytes } from './faults.js';
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
function expectFix({ fix, fixForText }: Environment, { reason, message }: ReportedError): void {
  if (reason === 'parsed' || reason === 'consumed') expect(message).toContain(fix);
  if (reason !== 'signature_mismatch') return;
  if (fixForText === undefined) expect(message).not.toContain('as text');
  else expect(message).toContain(fixForText);
}

interface ReportedError extends Error {
  readonly reason?: string;
}

interface Observed {
  readonly seen: Seen;
  /** The text of each message whose handler ran to its end. */
  readonly handled: readonly string[];
  /** What the hooks were told. */
  readonly errors: readonly ReportedError[];
}

async function observe(environment: Environment, fault: Fault): Promise<Observed | undefined> {
  const handler = new Handler(fault.conduct);
  const errors: ReportedError[] = [];
  const report = (error: unknown) => error instanceof Error && errors.push(error);
  const options = { secret, maxBodyBytes, tolerance: false, onError: report, onRefused: report } as const;
  const receiver = createWebhookReceiver(options);
  const core = new Watched(receiver.on('message.received', ({ data }) => handler.run(data.body)));
  const endpoint = await environment.open(core, fault.state);
  if (endpoint === undefined) return undefined;
  const answer = endpoint.send(fault.sent);
  if (fault.conduct === 'is slow') await releaseOnceSlow(handler, answer, endpoint);
  const seen = await answer;
  // Nothing may be left waiting for a body that never comes, nor any connection.
  await core.settled();
  await endpoint.close();
  return { seen, handled: handler.done, errors };
}

/** Lets the handler end only after another request was answered, and expects no answer until then. */
async function releaseOnceSlow(handler: Handler, answer: Promise<Seen>, endpoint: Endpoint): Promise<void> {
  let answered = false;
  void answer.then(() => {
    answered = true;
  });
  await handler.started;
  await endpoint.send(withSignatures(delivery()));
  expect(answered, 'answered before its handler was done').toBe(false);
  handler.release();
}

class Handler {
  readonly started: Promise<void>;
  readonly done: string[] = [];
  release: () => void = () => undefined;
  readonly #conduct: Conduct;
  readonly #released: Promise<void>;
  #start: () => void = () => undefined;

  constructor(conduct: Conduct) {
    this.#conduct = conduct;
    this.started = new Promise((resolve) => {
      this.#start = resolve;
    });
    this.#released = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  async run(text: string): Promise<void> {
    this.#start();
    if (this.#conduct === 'throws') throw new Error('The handler failed.');
    if (this.#conduct === 'is slow') await this.#released;
    this.done.push(text);
  }
}

/** A receiver that knows which of its requests are still open. */
class Watched implements ReceiverCore<unknown> {
  readonly #core: ReceiverCore<unknown>;
  readonly #answers: Promise<unknown>[] = [];

  constructor(core: ReceiverCore<unknown>) {
    this.#core = core;
    this.receive = this.receive.bind(this);
  }

  receive(received: Parameters<ReceiverCore<unknown>['receive']>[0]) {
    const answer = this.#core.receive(received);
    this.#answers.push(answer);
    return answer;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#answers);
  }
}
