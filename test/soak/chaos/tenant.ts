import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { MessagingAutomation, type WebhookEventType } from 'messaging-automation';
import type { WorkspaceSnapshot } from 'messaging-automation/server';
import type { Call, Deed } from '../calls.js';
import { Chance } from '../chance.js';
import { definitions, eventNames, people, receiverManners, refusedPhones } from '../scenario.js';
import { askControl, type Balancer, type Result } from './service/balancer.js';
import type { Receiver } from './service/receiver.js';

/** What all tenants of a service share. */
export interface Service {
  readonly seed: number;
  readonly balancer: Balancer;
  readonly receiver: Receiver;
  /** The key of the first workspace, which makes the others. */
  readonly apiKey: string;
  /** The next number; no number comes twice. */
  readonly next: () => number;
}

/** How long a call of the API may take. In milliseconds. */
const patience = 5_000;
/** The same for what moves a clock, which attempts are waited for in. */
const patienceWithClocks = 60_000;
/** Between one operation of a caller and its next: from and to, in milliseconds. */
const pauses = [20, 160] as const;
/** The same for who moves the clock. */
const pausesOfClocks = [400, 2_500] as const;

/** A workspace of the service under load: the calls that were made on it, and what they gave. */
export class Tenant {
  readonly name: string;
  readonly clock: 'frozen' | 'flowing';
  readonly workspaceId = `workspace_${randomUUID().replaceAll('-', '')}`;
  readonly apiKey = `key_${randomUUID()}`;
  readonly calls: Call[] = [];
  readonly #service: Service;
  readonly #chance: Chance;
  readonly #clients = new Map<string, MessagingAutomation>();
  readonly #contactIds = new Map<string, string>();
  readonly #subscriptionIds: string[] = [];
  readonly #deliveryIds: string[] = [];
  #before: WorkspaceSnapshot | undefined;

  constructor(service: Service, wave: number, number: number) {
    this.#service = service;
    this.#chance = new Chance(service.seed, wave * 100 + number + 10);
    this.clock = number % 2 === 0 ? 'frozen' : 'flowing';
    this.name = `wave ${wave}, workspace ${number + 1} (${this.clock})`;
  }

  /** What it held before the first call. */
  get before(): WorkspaceSnapshot {
    if (this.#before === undefined) throw new Error(`${this.name} was never opened.`);
    return this.#before;
  }

  /** Makes the workspace, and its first subscriptions. */
  async open(): Promise<void> {
    const chance = this.#chance;
    const seed = {
      ...definitions,
      workspaceId: this.workspaceId,
      apiKey: this.apiKey,
      clock: this.clock,
      quota: chance.between(40, 400),
      addOnCredits: chance.between(0, 60),
      contacts: [...people.slice(0, 6), ...refusedPhones].map((phone) => ({
        phone,
        properties: { city: 'Rome' },
      })),
    };
    const make = () =>
      this.#insist(() =>
        this.#service.balancer.call(chance, true, (origin) =>
          askControl<unknown>(origin, this.#service.apiKey, 'POST', 'workspaces', {
            body: seed,
            timeout: patience,
          }),
        ),
      );
    const made = await make();
    // Any replica refuses it a second time, and goes on: `strange` has an answer with 500.
    await make();
    const { value } = await this.#insist(() => this.ask<WorkspaceSnapshot>('GET', 'snapshot'));
    if (value === undefined)
      throw new Error(`${this.name} could not be made: its making ended as ${made.outcome}.`);
    this.#before = value;
    for (const { id, phone } of value.contacts) this.#contactIds.set(phone, id);
    for (const [manner] of receiverManners.entries()) await this.#subscribe(chance, manner);
  }

  /** Works as so many callers, and one who moves the clock, until the time is over. */
  async work(callers: number, until: number): Promise<void> {
    const chances = Array.from(
      { length: callers + 1 },
      () => new Chance(this.#service.seed, this.#chance.between(1, 1_000_000)),
    );
    await Promise.all(
      chances.map(async (chance, caller) => {
        while (performance.now() < until) {
          if (caller < callers) await this.#operate(chance);
          else await this.#advance(chance);
          const [least, most] = caller < callers ? pauses : pausesOfClocks;
          await wait(chance.between(least, most));
        }
      }),
    );
  }

  /** Has everything come to its end that waits for the clock. */
  async drain(): Promise<void> {
    for (let time = 0; time < 3; time += 1) {
      await this.#insist(() => this.ask('POST', 'clock/run-to-idle', undefined, patienceWithClocks));
      await this.#insist(() => this.ask('POST', 'settled', undefined, patienceWithClocks));
    }
  }

  /** Asks the control surface, of any replica. */
  ask<Value>(method: string, path: string, body?: unknown, timeout = patience): Promise<Result<Value>> {
    const repeatable = method === 'GET' || path === 'clock/run-to-idle' || path === 'settled';
    return this.#service.balancer.call(this.#chance, repeatable, (origin) =>
      askControl<Value>(origin, this.apiKey, method, path, { body, timeout }),
    );
  }

  async #operate(chance: Chance): Promise<void> {
    const phone = chance.pick(chance.in(0.04) ? refusedPhones : people);
    await chance.weighted<() => Promise<unknown>>([
      [26, () => this.#receive(phone, chance.pick(['START', 'STOP', 'Hello', 'Where is it?']))],
      [20, () => this.#track(chance, phone)],
      [20, () => this.#send(chance, phone)],
      [12, () => this.#upsert(chance, phone)],
      [5, () => this.#update(chance, phone)],
      [2, () => this.#deleteContact(chance, phone)],
      [2, () => this.#subscribe(chance, chance.between(0, receiverManners.length - 1))],
      [1, () => this.#unsubscribe(chance)],
      [2, () => this.#redeliver(chance)],
      [1, () => Promise.all(Array.from({ length: 20 }, () => this.#receive(phone, 'Hello?')))],
    ])();
  }

  #upsert(chance: Chance, phone: string): Promise<unknown> {
    const token = this.#token();
    return this.#noted({ kind: 'write', phone, token }, () =>
      this.#api(chance, true, async (client) => {
        const contact = await client.contacts.upsert({ phone, properties: { [token]: true } });
        this.#contactIds.set(phone, contact.id);
      }),
    );
  }

  #update(chance: Chance, phone: string): Promise<unknown> {
    const token = this.#token();
    const id = this.#contactIds.get(phone) ?? 'contact_nobody';
    return this.#noted({ kind: 'write', phone, token }, () =>
      this.#api(chance, true, (client) => client.contacts.update(id, { properties: { [token]: true } })),
    );
  }

  #deleteContact(chance: Chance, phone: string): Promise<unknown> {
    const contactId = this.#contactIds.get(phone) ?? 'contact_nobody';
    return this.#noted({ kind: 'delete_contact', phone, contactId }, () =>
      this.#api(chance, true, (client) => client.contacts.delete(contactId)),
    );
  }

  #send(chance: Chance, phone: string): Promise<unknown> {
    const token = this.#token();
    return this.#noted({ kind: 'send', phone, token }, () =>
      this.#api(chance, false, (client) =>
        client.transactional.send({
          phone,
          templateId: 'hello',
          variables: { '1': token, '2': 'how are you?' },
        }),
      ),
    );
  }

  #track(chance: Chance, phone: string): Promise<unknown> {
    const token = this.#token();
    const event = chance.pick(eventNames);
    return this.#noted({ kind: 'track', phone, token, event }, () =>
      this.#api(chance, false, (client) => client.events.track({ event, phone, properties: { token } })),
    );
  }

  async #receive(phone: string, text: string): Promise<void> {
    const consents = text === 'START' || text === 'STOP';
    // By its text a message is known whose answer was lost. START and STOP have none of their own.
    const body = consents ? text : `${text} ${this.#token()}`;
    const from = this.#service.next();
    const { outcome, value } = await this.ask<{
      readonly messageId: string;
      readonly contactId: string;
      readonly consent?: 'opted_in' | 'opted_out';
    }>('POST', 'inbound-messages', { phone, body });
    if (value !== undefined) this.#contactIds.set(phone, value.contactId);
    this.unnamedMessages.push(...(outcome === 'unknown' ? [{ phone, body, from }] : []));
    if (value === undefined) return;
    const { messageId, consent } = value;
    this.#note({ kind: 'message', phone, messageId, ...(consent && { consent }) }, from, outcome);
  }

  /** Messages that may have been taken in, of which no id is known. */
  readonly unnamedMessages: { readonly phone: string; readonly body: string; readonly from: number }[] = [];

  async #subscribe(chance: Chance, manner: number): Promise<void> {
    const url = this.#service.receiver.urlOf(manner, this.#token());
    const events = chance.pick<readonly WebhookEventType[]>([
      ['message.received', 'contact.opted_in', 'contact.opted_out'],
      ['message.received'],
      ['contact.opted_in', 'contact.opted_out'],
    ]);
    const from = this.#service.next();
    const { outcome, value } = await this.#api(chance, false, async (client) => {
      const { id, secret } = await client.webhooks.create({ url, events: [...events] });
      this.#subscriptionIds.push(id);
      return { id, secret };
    });
    this.#note({ kind: 'subscribe', url, events, ...(value && { created: value }) }, from, outcome);
  }

  async #unsubscribe(chance: Chance): Promise<void> {
    // The last ones stay, for there to be deliveries.
    if (this.#subscriptionIds.length < 5) return;
    const [subscriptionId] = this.#subscriptionIds.splice(
      chance.between(0, this.#subscriptionIds.length - 1),
      1,
    );
    if (subscriptionId === undefined) return;
    await this.#noted({ kind: 'unsubscribe', subscriptionId }, () =>
      this.#api(chance, true, (client) => client.webhooks.delete(subscriptionId)),
    );
  }

  async #redeliver(chance: Chance): Promise<void> {
    if (this.#deliveryIds.length === 0) {
      const { value } = await this.ask<{ readonly data: readonly { readonly id: string }[] }>(
        'GET',
        'deliveries?limit=20',
      );
      this.#deliveryIds.push(...(value?.data ?? []).map(({ id }) => id));
    }
    const originalId = this.#deliveryIds.splice(chance.between(0, this.#deliveryIds.length - 1), 1)[0];
    if (originalId === undefined) return;
    const from = this.#service.next();
    const { outcome, value } = await this.ask<{ readonly id: string }>(
      'POST',
      `deliveries/${originalId}/redeliver`,
    );
    this.#note({ kind: 'redeliver', originalId, ...(value && { deliveryId: value.id }) }, from, outcome);
  }

  async #advance(chance: Chance): Promise<void> {
    const by = `${chance.pick([1, 5, 10, 30, 60, 90])}s`;
    await this.ask('POST', 'clock/advance', { by }, patienceWithClocks);
  }

  #api<Value>(
    chance: Chance,
    repeatable: boolean,
    make: (client: MessagingAutomation) => Promise<Value>,
  ): Promise<Result<Value>> {
    return this.#service.balancer.call(chance, repeatable, (origin) => make(this.#clientOf(origin)));
  }

  #clientOf(origin: string): MessagingAutomation {
    const known = this.#clients.get(origin);
    if (known !== undefined) return known;
    const client = new MessagingAutomation({
      apiKey: this.apiKey,
      baseUrl: `${origin}/api`,
      timeout: patience,
      retries: 0,
      validation: 'strict',
    });
    this.#clients.set(origin, client);
    return client;
  }

  async #noted(deed: Deed, call: () => Promise<Result<unknown>>): Promise<void> {
    const from = this.#service.next();
    const { outcome } = await call();
    this.#note(deed, from, outcome);
  }

  #note(deed: Deed, from: number, outcome: Call['outcome']): void {
    // What is not known to have ended may be done later.
    const to = outcome === 'unknown' ? Number.MAX_SAFE_INTEGER : this.#service.next();
    this.calls.push({ ...deed, from, to, outcome });
  }

  #token(): string {
    return `t${this.#service.next()}`;
  }

  /** Asks again, for as long as it takes the service to come back. */
  async #insist<Value>(call: () => Promise<Result<Value>>): Promise<Result<Value>> {
    const endsAt = performance.now() + 180_000;
    for (;;) {
      const result = await call();
      if (result.outcome === 'success' || result.outcome === 'rejected') return result;
      if (performance.now() > endsAt) throw new Error(`${this.name}: the service does not come back.`);
      await wait(500);
    }
  }
}
