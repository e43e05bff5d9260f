import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type ClientOptions,
  MessagingAutomation,
  type RequestOptions,
  type WebhookEventType,
} from 'messaging-automation';
import { faultHeader, type WorkspaceSnapshot } from 'messaging-automation/server';
import type { KnownMessage, UnnamedMessage } from './accounting/unnamed-messages.js';
import type { Call, Deed } from './calls.js';
import { Chance } from './chance.js';
import { askControl, type Caller, insist, type Result } from './control.js';
import { faultRule, requestFault } from './faults.js';
import type { Receiver } from './receiver.js';
import { acknowledgedShares, definitions, eventNames, people, refusedPhones } from './scenario.js';

/** What all tenants of a service share. */
export interface Service {
  readonly seed: number;
  readonly caller: Caller;
  readonly receiver: Receiver;
  /** The key of the first workspace, which creates the others. */
  readonly apiKey: string;
  /** Returns the next number; no number comes twice. */
  readonly next: () => number;
  readonly client: Partial<ClientOptions>;
  /** Whether faults strike requests and deliveries, and keys are rotated. */
  readonly faults: boolean;
  /** The pauses between two operations of a caller, and between two moves of the clock: from and to, in milliseconds. */
  readonly pauses: readonly [number, number];
  readonly clockPauses: readonly [number, number];
}

/** Texts that a database, a line or a log may take badly. */
const oddTexts = [
  '',
  '\u0000',
  'a\u0000b',
  '\ud83d',
  '\ude00\ud83d',
  '👩‍👩‍👧',
  '\u202eright',
  `"'\\\n\t`,
  '$1; --',
] as const;

/** How long a call may take, and one that moves a clock, which waits for attempts. In milliseconds. */
const callTimeout = 5_000;
const clockTimeout = 60_000;

/** A workspace of the service under load: the calls that were made on it, and what they returned. */
export class Tenant {
  readonly name: string;
  readonly clock: 'frozen' | 'flowing';
  /** Whether something may hold attempts up, so that retries may come late. */
  readonly delayed: boolean;
  readonly workspaceId = `workspace_${randomUUID().replaceAll('-', '')}`;
  apiKey = `key_${randomUUID()}`;
  readonly #calls: Call[] = [];
  readonly #lost: { readonly from: number; readonly until: number }[] = [];
  /** Messages that may have been taken in, and whose ids are unknown. */
  readonly unnamedMessages: UnnamedMessage[] = [];
  readonly #service: Service;
  readonly #chance: Chance;
  readonly #clients = new Map<string, MessagingAutomation>();
  readonly #contactIds = new Map<string, string>();
  readonly #subscriptionIds: string[] = [];
  #before: WorkspaceSnapshot | undefined;

  constructor(service: Service, round: number, number: number) {
    this.#service = service;
    this.#chance = new Chance(service.seed, round * 100 + number + 10);
    this.clock = number % 4 < 2 ? 'frozen' : 'flowing';
    this.delayed = !service.faults || number % 2 === 1;
    this.name = `round ${round}, workspace ${number + 1} (${this.clock})`;
  }

  /** The calls that were made. One that was made in a lost time may be undone. */
  get calls(): readonly Call[] {
    return this.#calls.map((call) => {
      const isLost = this.#lost.some(({ from, until }) => call.to > from && call.from < until);
      if (!isLost || call.outcome !== 'success') return call;
      return { ...call, outcome: 'unknown', to: Number.MAX_SAFE_INTEGER };
    });
  }

  /** Takes the calls between two numbers for undone: the database went back to a backup. */
  lose(from: number, until: number): void {
    this.#lost.push({ from, until });
  }

  /** What it held before the first call. */
  get before(): WorkspaceSnapshot {
    if (this.#before === undefined) throw new Error(`${this.name} was never opened.`);
    return this.#before;
  }

  /** Creates the workspace, and its first subscriptions. */
  async open(): Promise<void> {
    const chance = this.#chance;
    await this.#create({
      ...definitions,
      quota: chance.between(40, 400),
      addOnCredits: chance.between(0, 60),
      contacts: [...people.slice(0, 6), ...refusedPhones].map((phone) => ({
        phone,
        properties: { city: 'Rome' },
      })),
    });
    const { value } = await insist(this.name, () => this.ask<WorkspaceSnapshot>('GET', 'snapshot'));
    if (value === undefined) throw new Error(`${this.name} could not be created.`);
    this.#before = value;
    for (const { id, phone } of value.contacts) this.#contactIds.set(phone, id);
    for (const [share] of acknowledgedShares.entries()) await this.#subscribe(chance, share);
  }

  async #create(seed: object): Promise<void> {
    const { workspaceId, apiKey, clock } = this;
    const body = { ...seed, workspaceId, apiKey, clock };
    const create = () =>
      insist(this.name, () =>
        this.#service.caller.call(this.#chance, true, (origin) =>
          askControl(origin, this.#service.apiKey, 'POST', 'workspaces', { body, timeout: callTimeout }),
        ),
      );
    await create();
    // Any replica refuses it a second time, and goes on.
    await create();
  }

  /** Works as several callers, and one who moves the clock, for as long as `goesOn` says, which gets the number of the operation. */
  async work(callers: number, goesOn: (operation: number) => boolean): Promise<void> {
    const { seed, pauses, clockPauses } = this.#service;
    const loop = async (pause: readonly [number, number], act: (chance: Chance) => Promise<unknown>) => {
      const chance = new Chance(seed, this.#chance.between(1, 1_000_000));
      for (let operation = 0; goesOn(operation); operation += 1) {
        await act(chance);
        await wait(chance.between(...pause));
      }
    };
    await Promise.all([
      ...Array.from({ length: callers }, () => loop(pauses, (chance) => this.#operate(chance))),
      loop(clockPauses, (chance) => this.#moveClock(chance)),
    ]);
  }

  /** Lets everything end that waits for the clock. */
  async drain(): Promise<void> {
    // What ends may start something else; more than a few times is a fault, which the audit reports.
    for (let time = 0; time < 3; time += 1) {
      await insist(this.name, () => this.ask('POST', 'clock/run-to-idle', undefined, clockTimeout));
      await insist(this.name, () => this.ask('POST', 'settled', undefined, clockTimeout));
    }
  }

  async close(): Promise<void> {
    const { caller, apiKey } = this.#service;
    const path = `workspaces/${this.workspaceId}`;
    await caller.call(this.#chance, true, (origin) => askControl(origin, apiKey, 'DELETE', path));
  }

  /** Asks the control surface, of any replica. */
  ask<Value>(method: string, path: string, body?: unknown, timeout = callTimeout): Promise<Result<Value>> {
    const repeatable = method !== 'POST' || path === 'clock/run-to-idle' || path === 'settled';
    return this.#service.caller.call(this.#chance, repeatable, (origin) =>
      askControl<Value>(origin, this.apiKey, method, path, { body, timeout }),
    );
  }

  async #operate(chance: Chance): Promise<void> {
    const phone = chance.pick(chance.in(0.04) ? refusedPhones : people);
    const { faults } = this.#service;
    await chance.weighted<() => Promise<unknown>>([
      [26, () => this.#receive(phone, chance.pick(['START', 'STOP', 'Hello', 'Where is it?']))],
      [4, () => this.#receive(phone, `Hello ${chance.pick(oddTexts)}`)],
      [20, () => this.#track(chance, phone)],
      [20, () => this.#send(chance, phone)],
      [12, () => this.#write(chance, phone, 'upsert')],
      [5, () => this.#write(chance, phone, 'update')],
      [3, () => this.#read(chance, phone)],
      [2, () => this.#deleteContact(chance, phone)],
      [2, () => this.#subscribe(chance, chance.between(0, acknowledgedShares.length - 1))],
      [3, () => this.#unsubscribe(chance)],
      // More at a time than may be under way to one receiver.
      [1, () => Promise.all(Array.from({ length: 20 }, () => this.#receive(phone, 'Hello?')))],
      // All take from one quota, by whichever replica.
      [1, () => Promise.all(Array.from({ length: 10 }, () => this.#send(chance, phone)))],
      [faults ? 6 : 0, () => this.ask('POST', 'faults', faultRule(chance, this.delayed))],
      [faults ? 2 : 0, () => this.ask('DELETE', 'faults')],
      [faults ? 1 : 0, () => this.#rotateKey(chance)],
    ])();
  }

  #write(chance: Chance, phone: string, verb: 'upsert' | 'update'): Promise<unknown> {
    const token = this.#token();
    const properties = { [token]: true, note: chance.pick(oddTexts) };
    return this.#noted({ kind: 'write', phone, token }, () =>
      this.#api(chance, true, async ({ contacts }, options) => {
        if (verb === 'update') return contacts.update(this.#idOf(phone), { properties }, options);
        const contact = await contacts.upsert({ phone, properties }, options);
        // A fault can take the id away.
        if (typeof contact.id === 'string') this.#contactIds.set(phone, contact.id);
        return contact;
      }),
    );
  }

  #read(chance: Chance, phone: string): Promise<unknown> {
    return this.#api(chance, true, ({ contacts, webhooks, templates }, options) =>
      chance.pick<() => Promise<unknown>>([
        () => contacts.find(phone, options),
        () => contacts.get(this.#idOf(phone), options),
        () => webhooks.list(options),
        () => templates.list(options),
      ])(),
    );
  }

  #deleteContact(chance: Chance, phone: string): Promise<unknown> {
    const contactId = this.#idOf(phone);
    return this.#noted({ kind: 'delete_contact', phone, contactId }, () =>
      this.#api(chance, true, ({ contacts }, options) => contacts.delete(contactId, options)),
    );
  }

  #send(chance: Chance, phone: string): Promise<unknown> {
    const token = this.#token();
    const [templateId, variables] = chance.weighted<readonly [string, Record<string, string>]>([
      [8, ['hello', { '1': token, '2': `how are you? ${chance.pick(oddTexts)}` }]],
      [1, ['hello', { '1': token }]],
      [1, ['draft', { '1': token }]],
      [1, ['nothing', { '1': token }]],
    ]);
    return this.#noted({ kind: 'send', phone, token }, () =>
      this.#api(chance, false, ({ transactional }, options) =>
        transactional.send({ phone, templateId, variables }, options),
      ),
    );
  }

  #track(chance: Chance, phone: string): Promise<unknown> {
    const token = this.#token();
    const event = chance.pick(eventNames);
    const contact = chance.in(0.3) ? { contactId: this.#idOf(phone) } : { phone };
    const note = chance.pick(oddTexts);
    return this.#noted({ kind: 'track', phone, token, event, note }, () =>
      this.#api(chance, false, ({ events }, options) =>
        events.track({ event, ...contact, properties: { token, note } }, options),
      ),
    );
  }

  async #receive(phone: string, text: string): Promise<void> {
    const consents = text === 'START' || text === 'STOP';
    // The text identifies a message whose response was lost. START and STOP have none of their own.
    const body = consents ? text : `${text} ${this.#token()}`;
    const from = this.#service.next();
    const { outcome, value } = await this.ask<Pick<KnownMessage, 'messageId' | 'contactId' | 'consent'>>(
      'POST',
      'inbound-messages',
      { phone, body },
    );
    if (outcome === 'unknown') this.unnamedMessages.push({ phone, body, from });
    if (value === undefined) return;
    const { messageId, contactId, consent } = value;
    this.#contactIds.set(phone, contactId);
    this.#note({ kind: 'message', phone, messageId, ...(consent && { consent }) }, from, outcome);
  }

  async #subscribe(chance: Chance, share: number): Promise<void> {
    const url = this.#service.receiver.urlOf(share, this.#token());
    const events = chance.pick<readonly WebhookEventType[]>([
      ['message.received', 'contact.opted_in', 'contact.opted_out'],
      ['message.received'],
      ['contact.opted_in', 'contact.opted_out'],
    ]);
    const from = this.#service.next();
    const { outcome, value } = await this.#api(chance, false, async ({ webhooks }, options) => {
      const { id, secret } = await webhooks.create({ url, events: [...events] }, options);
      this.#subscriptionIds.push(id);
      return { id, secret };
    });
    this.#note({ kind: 'subscribe', url, events, ...(value && { created: value }) }, from, outcome);
  }

  async #unsubscribe(chance: Chance): Promise<void> {
    const ids = this.#subscriptionIds;
    // The last ones stay, so that there are deliveries.
    const [subscriptionId] = ids.length < 4 ? [] : ids.splice(chance.between(0, ids.length - 1), 1);
    if (subscriptionId === undefined) return;
    await this.#noted({ kind: 'unsubscribe', subscriptionId }, () =>
      this.#api(chance, true, ({ webhooks }, options) => webhooks.delete(subscriptionId, options)),
    );
  }

  /** The old key must open nothing any more, even if a caller still uses it. */
  async #rotateKey(chance: Chance): Promise<void> {
    const old = this.apiKey;
    const { value } = await this.ask<{ readonly apiKey: string }>('POST', 'api-keys/rotate');
    if (value === undefined) return;
    this.apiKey = value.apiKey;
    const { outcome } = await this.#service.caller.call(chance, true, (origin) =>
      askControl(origin, old, 'GET', 'clock'),
    );
    if (outcome === 'success') throw new Error('A key that was rotated still opens the workspace.');
  }

  async #moveClock(chance: Chance): Promise<void> {
    const seconds = chance.pick([1, 5, 10, 30, 60, 90]);
    const advance = () => this.ask('POST', 'clock/advance', { by: `${seconds}s` }, clockTimeout);
    await chance.weighted<() => Promise<unknown>>([
      [5, advance],
      [1, () => this.ask('POST', 'clock/run-to-idle', undefined, clockTimeout)],
    ])();
  }

  #api<Value>(
    chance: Chance,
    repeatable: boolean,
    make: (client: MessagingAutomation, options: RequestOptions) => Promise<Value>,
  ): Promise<Result<Value>> {
    const isFaulty = this.#service.faults && chance.in(0.06);
    const options = isFaulty ? { headers: { [faultHeader]: JSON.stringify(requestFault(chance)) } } : {};
    return this.#service.caller.call(chance, repeatable, (origin) => make(this.#clientOf(origin), options));
  }

  #clientOf(origin: string): MessagingAutomation {
    const name = `${origin} ${this.apiKey}`;
    const client =
      this.#clients.get(name) ??
      new MessagingAutomation({ ...this.#service.client, apiKey: this.apiKey, baseUrl: `${origin}/api` });
    this.#clients.set(name, client);
    return client;
  }

  async #noted(deed: Deed, call: () => Promise<Result<unknown>>): Promise<void> {
    const from = this.#service.next();
    const { outcome } = await call();
    this.#note(deed, from, outcome);
  }

  #note(deed: Deed, from: number, outcome: Call['outcome']): void {
    // A call of unknown outcome may be carried out later.
    const to = outcome === 'unknown' ? Number.MAX_SAFE_INTEGER : this.#service.next();
    this.#calls.push({ ...deed, from, to, outcome });
  }

  #idOf(phone: string): string {
    return this.#contactIds.get(phone) ?? 'contact_nobody';
  }

  #token(): string {
    return `t${this.#service.next()}`;
  }
}
