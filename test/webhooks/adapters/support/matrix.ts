import { createWebhookReceiver } from 'messaging-automation/webhooks';
import { afterAll, describe, expect, test } from 'vitest';
import type { ReceiverCore } from '../../../../src/webhooks/receiver/exchange.js';
import { secret } from '../../delivery-body.js';
import { type Conduct, type Expected, type Fault, faults, maxBodyBytes } from './faults.js';
import { delivery, type Seen, withSignatures } from './sent.js';
import type { Site, Subject } from './subject.js';
import { printTable } from './table.js';

/**
 * Puts each adapter through every fault, one test each, and prints what was seen. Hangs fail by the test's own
 * timeout; that nothing unverified was acknowledged is checked for every cell, whatever it expects.
 */
export function describeMatrix(title: string, subjects: readonly Subject[]): void {
  const cells = new Map<string, Seen>();
  const cell = (subject: Subject, fault: Fault) => `${subject.name}\n${fault.name}`;

  describe(title, () => {
    for (const subject of subjects) {
      describe(subject.name, () => {
        for (const fault of faults) {
          const expected = subject.differs?.[fault.name] ?? fault.expected;
          if (expected === '–') continue;
          test(`${fault.name}: ${expected}`, async (context) => {
            const observed = await observe(subject, fault);
            if (observed === undefined) return context.skip(`${subject.name} has no such arrangement`);
            cells.set(cell(subject, fault), observed.seen);
            expect(observed.seen).toSatisfy((seen: Seen) => agrees(seen, expected), `not ${expected}`);
            expect(isAcknowledged(observed.seen), 'acknowledged without its handler').toBe(observed.handled);
          });
        }
      });
    }
    afterAll(() =>
      printTable(
        title,
        subjects.map(({ name }) => name),
        faults.map((fault) => [
          fault.name,
          ...subjects.map((subject) => String(cells.get(cell(subject, fault)) ?? '–')),
        ]),
      ),
    );
  });
}

interface Observed {
  readonly seen: Seen;
  /** Whether the handler ran to its end, and so the delivery was verified. */
  readonly handled: boolean;
}

async function observe(subject: Subject, fault: Fault): Promise<Observed | undefined> {
  const handler = new Handler(fault.conduct);
  const receiver = createWebhookReceiver({
    secret,
    maxBodyBytes,
    tolerance: false,
    onError: () => undefined, // Where it is not told, it prints.
  });
  const core = new Watched(receiver.on('message.received', () => handler.run()));
  const site = await subject.open(core, fault.arrangement);
  if (site === undefined) return undefined;
  const answer = site.send(fault.sent);
  if (fault.conduct === 'is slow') await releaseOnceSlow(handler, answer, site);
  const seen = await answer;
  // Nothing may be left waiting for a body that never comes, nor any connection.
  await core.settled();
  await site.close();
  return { seen, handled: handler.done };
}

/** Lets the handler end only after another request went all the way, and sees that nothing was answered till then. */
async function releaseOnceSlow(handler: Handler, answer: Promise<Seen>, site: Site): Promise<void> {
  let answered = false;
  void answer.then(() => {
    answered = true;
  });
  await handler.started;
  await site.send(withSignatures(delivery()));
  expect(answered, 'answered before its handler was done').toBe(false);
  handler.release();
}

class Handler {
  readonly started: Promise<void>;
  done = false;
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

  async run(): Promise<void> {
    this.#start();
    if (this.#conduct === 'throws') throw new Error('The handler failed.');
    if (this.#conduct === 'is slow') await this.#released;
    this.done = true;
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

function agrees(seen: Seen, expected: Expected): boolean {
  return expected.endsWith('xx') ? String(seen).startsWith(expected.charAt(0)) : String(seen) === expected;
}

function isAcknowledged(seen: Seen): boolean {
  return typeof seen === 'number' && seen < 300;
}
