import { createHmac } from 'node:crypto';
import type { Contact, HandWrittenState, Subscription } from './hand-written-state.js';

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** §6 and §8: events of the workspace, delivered and retried. Time moves when a test moves it. */
export class HandWrittenDeliveries {
  readonly #state: HandWrittenState;
  readonly #running = new Set<Promise<void>>();
  #timers: Timer[] = [];
  #now = Date.parse('2026-01-02T03:04:05.678Z');

  constructor(state: HandWrittenState) {
    this.#state = state;
  }

  messageReceived({ phone, body }: { readonly phone: string; readonly body: string }): void {
    const contact = this.#state.contactWithPhone(phone);
    if (!contact) throw new Error('The document shows no message from a stranger.');
    this.#emit('message.received', {
      conversationId: `conversation-of-${contact.id}`,
      messageId: this.#state.newId('message'),
      contactId: contact.id,
      phone,
      type: 'text',
      body,
      receivedAt: this.#timestamp(),
    });
    if (body === 'START') this.#emit('contact.opted_in', consentOf(contact));
    if (body === 'STOP') this.#emit('contact.opted_out', consentOf(contact));
  }

  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (let due = this.#nextDue(); due <= end; due = this.#nextDue()) {
      this.#now = due;
      const fired = this.#timers.filter((timer) => timer.due === due);
      this.#timers = this.#timers.filter((timer) => timer.due !== due);
      for (const timer of fired) timer.run();
      await this.settled();
    }
    this.#now = end;
  }

  #emit(event: string, data: object): void {
    const workspaceId = 'workspace-1';
    const body = JSON.stringify({ event, workspaceId, timestamp: this.#timestamp(), data });
    for (const subscription of this.#state.subscriptions.values()) {
      if (subscription.events.includes(event)) this.#start(subscription, body, [7_000, 45_000]);
    }
  }

  /** §8: retried twice, with backoff, of which the intervals are not shown. */
  #start(subscription: Subscription, body: string, backoff: readonly number[]): void {
    const attempt = this.#attempt(subscription, body).then((delivered) => {
      const [wait, ...later] = backoff;
      if (delivered || wait === undefined) return;
      this.#after(wait, () => {
        if (this.#state.subscriptions.has(subscription.id)) this.#start(subscription, body, later);
      });
    });
    this.#running.add(attempt);
    void attempt.then(() => this.#running.delete(attempt));
  }

  /** §6: the receiver responds with a 2xx within five seconds. */
  async #attempt({ url, secret }: Subscription, body: string): Promise<boolean> {
    const deadline = new AbortController();
    const timer = this.#after(5_000, () => deadline.abort());
    try {
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Service-Signature': signature },
        body,
        redirect: 'manual',
        signal: deadline.signal,
      });
      return response.ok;
    } catch {
      return false;
    } finally {
      this.#timers = this.#timers.filter((other) => other !== timer);
    }
  }

  #after(milliseconds: number, run: () => void): Timer {
    const timer = { due: this.#now + milliseconds, run };
    this.#timers.push(timer);
    return timer;
  }

  #nextDue(): number {
    return Math.min(...this.#timers.map((timer) => timer.due));
  }

  #timestamp(): string {
    return new Date(this.#now).toISOString();
  }
}

/** The data of a consent event is not shown. */
function consentOf(contact: Contact): object {
  return { contact: { id: contact.id } };
}
