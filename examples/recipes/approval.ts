/** A person approves each message: a guard that waits for a yes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyValueService, MessagingAutomation, SendGuard, SendInput } from 'messaging-automation';

const prefix = 'approval:';
/** A question and its decision are kept for 30 days, in milliseconds. */
const kept = 30 * 24 * 60 * 60 * 1_000;

/** The questions to a person, in a store that all processes share. Each is a text with the whole message, for the person who reads it. */
export class Approvals {
  readonly #store: KeyValueService;
  readonly #pause: (signal: AbortSignal) => Promise<unknown>;

  /** @param pause Waits between two looks at a decision. Default: a second. */
  constructor(
    store: KeyValueService,
    pause = (signal: AbortSignal): Promise<unknown> => sleep(1_000, undefined, { signal }),
  ) {
    this.#store = store;
    this.#pause = pause;
  }

  /** Waits for a yes, at most until the timeout. Run it again after a `TimeoutError`: the question stays open. */
  async send(messaging: MessagingAutomation, message: SendInput, options: ApprovedSendOptions) {
    const { idempotencyKey, signal, timeout = 15 * 60_000, guards = [] } = options;
    const ended = new AbortController();
    const approval = this.#guard(JSON.stringify({ idempotencyKey, ...message }), ended.signal);
    // Guards are asked in their order: who opts out while the person thinks gets no message.
    const approved = messaging.withOptions({ guards: [approval, ...guards] });
    try {
      return await approved.transactional.send(message, { idempotencyKey, timeout, signal });
    } finally {
      ended.abort();
    }
  }

  /** The open questions, for a page or a chat. */
  async *open(): AsyncGenerator<string> {
    for await (const { key } of this.#store.list?.(prefix, 'open') ?? []) yield key.slice(prefix.length);
  }

  /** Returns false if the question is not open: each is decided once. */
  decide(question: string, decision: 'yes' | 'no'): Promise<boolean> {
    return this.#store.replaceIfEqual(prefix + question, 'open', decision, kept);
  }

  /** Asks, and waits until the call ends. */
  #guard(question: string, ended: AbortSignal): SendGuard {
    const check = async () => {
      await this.#store.setIfAbsent(prefix + question, 'open', kept);
      for (;;) {
        const decision = await this.#store.get(prefix + question);
        if (decision === 'yes') return undefined;
        if (decision === 'no') return 'a person said no';
        await this.#pause(ended);
      }
    };
    return { check };
  }
}

/** Options of a message that a person approves. */
export interface ApprovedSendOptions {
  readonly idempotencyKey: string;
  /** How long the call waits for the decision, in milliseconds. Default: 15 minutes. */
  readonly timeout?: number;
  /** Ends the wait, such as on SIGTERM. */
  readonly signal?: AbortSignal;
  /** The other guards of the client, which are asked after the yes. */
  readonly guards?: readonly SendGuard[];
}
