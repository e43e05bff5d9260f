import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as passed } from 'node:timers/promises';
import { signTestDelivery, type TestDelivery } from 'messaging-automation/webhooks';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { bundle } from '../../run/bundle.js';
import type { StoreName } from '../promises/promises.js';

const secret = 'whsec_campaign';
const day = 86_400_000;

/** The service sends a delivery up to three times. Here more often, because there are more kills than in a life. */
const [mostAttempts, betweenAttempts] = [12, 1_000];

export interface Campaign {
  readonly store: StoreName;
  readonly url: string;
  readonly seed: number;
  readonly deliveries: number;
  readonly contacts: number;
  /** After how many deliveries a process is killed. */
  readonly killEvery: number;
}

interface Message {
  readonly id: string;
  readonly contact: number;
  readonly place: number;
  readonly delivery: TestDelivery;
  attempts: number;
  /** How often its handler ended in a process that lived until its response. */
  handled: number;
  /** Where its handler ended last. */
  handledAt: Receiver | undefined;
  /** How often its process was killed after its handler had ended, and before the response: the store may not know. */
  unsure: number;
  isAcknowledged: boolean;
}

interface Receiver {
  readonly process: ChildProcess;
  readonly url: string;
  isAlive: boolean;
}

/** Three receivers that share a store, and a service that delivers to them, while they are killed and their clocks jump. */
export async function runCampaign(campaign: Campaign) {
  const run = new Run(campaign);
  try {
    await run.deliverAll();
  } finally {
    await run.end();
  }
  return run.result();
}

class Run {
  readonly #campaign: Campaign;
  readonly #generator;
  readonly #messages = new Map<string, Message>();
  #program = '';
  readonly #children: ChildProcess[] = [];
  readonly #receivers: Receiver[] = [];
  /** Whose handler runs, by the contact. */
  readonly #running = new Map<number, { readonly message: Message; readonly receiver: Receiver }>();
  /** The newest that was handled, by the contact. */
  readonly #newest = new Map<number, number>();
  /** The contacts of which the store may not know the newest. */
  readonly #doubtful = new Set<number>();
  readonly #wrong: string[] = [];
  #kills = 0;
  #late = 0;
  #lost = 0;

  constructor(campaign: Campaign) {
    this.#campaign = campaign;
    this.#generator = xoroshiro128plus(campaign.seed);
    const { deliveries, contacts } = campaign;
    const scope = crypto.randomUUID();
    for (let place = 0; place < deliveries; place += 1) {
      const [id, contact] = [`${scope} ${place}`, this.#below(contacts)];
      const data = { messageId: id, contactId: `${scope} ${contact}` };
      const delivery = signTestDelivery({
        secret,
        event: 'message.received',
        data,
        timestamp: 1_000_000 + place,
      });
      const fresh = { attempts: 0, handled: 0, handledAt: undefined, unsure: 0 };
      this.#messages.set(id, { id, contact, place, delivery, ...fresh, isAcknowledged: false });
    }
  }

  async deliverAll(): Promise<void> {
    this.#program = await bundle({ file: 'test/webhooks/order/campaign-receiver.ts' });
    this.#receivers.push(...(await Promise.all([1, 2, 3].map(() => this.#start()))));
    const { killEvery, deliveries } = this.#campaign;
    // Nearly in their order, as over the internet.
    const messages = [...this.#messages.values()]
      .map((message) => ({ message, arrival: message.place + this.#below(20) }))
      .toSorted((one, other) => one.arrival - other.arrival);
    let sent = 0;
    const deliverRest = async (): Promise<void> => {
      for (let next = messages[sent]; next !== undefined; next = messages[sent]) {
        sent += 1;
        if (sent % killEvery === 0 && sent < deliveries) await this.#killOne();
        if (this.#happens(0.01))
          this.#tell(this.#oneOf(this.#receivers), { jump: this.#below(2 * day) - day });
        const again = this.#happens(0.05) ? [this.#attempt(next.message)] : [];
        await Promise.all([this.#deliver(next.message), ...again]);
      }
    };
    await Promise.all(Array.from({ length: 150 }, deliverRest));
  }

  async end(): Promise<void> {
    for (const receiver of this.#receivers) receiver.isAlive = false;
    await Promise.all(this.#children.map(end));
  }

  result() {
    const messages = [...this.#messages.values()];
    for (const { place, handled, unsure, isAcknowledged } of messages) {
      if (!isAcknowledged) this.#wrong.push(`${place} was never acknowledged`);
      if (handled + unsure === 0) this.#wrong.push(`${place} was acknowledged and not handled`);
      if (handled > 1) this.#wrong.push(`${place} was handled ${handled} times`);
    }
    const doubtful = messages.filter(({ unsure }) => unsure > 0).length;
    return {
      wrong: this.#wrong,
      handled: messages.length,
      kills: this.#kills,
      late: this.#late,
      lost: this.#lost,
      doubtful,
    };
  }

  #below(limit: number): number {
    return Math.floor(uniformFloat64(this.#generator) * limit);
  }

  #happens(chance: number): boolean {
    return uniformFloat64(this.#generator) < chance;
  }

  #oneOf<Item>(items: readonly Item[]): Item {
    const item = items[this.#below(items.length)];
    if (item === undefined) throw new Error('There is none.');
    return item;
  }

  async #start(): Promise<Receiver> {
    const child = fork(this.#program, [this.#campaign.store, this.#campaign.url, secret]);
    this.#children.push(child);
    const [address] = await once(child, 'message');
    const receiver = { process: child, url: `http://127.0.0.1:${address.port}`, isAlive: true };
    child.on('message', (told: Told) => this.#note(told, receiver));
    return receiver;
  }

  #tell({ process }: Receiver, what: object): void {
    process.send(what, () => {}); // it may be dying
  }

  #note({ step, id, isLate, number }: Told, receiver: Receiver): void {
    if (step === 'wrong') this.#wrong.push(id);
    const message = this.#messages.get(id);
    if (message === undefined || !receiver.isAlive) return;
    if (step === 'start') this.#noteStart(message, receiver, isLate === true);
    else if (step === 'end') this.#noteEnd(message, receiver);
    else this.#lost += 1; // the process did not run for a lease, and so it was taken for dead
    this.#tell(receiver, { known: number });
  }

  #noteStart(message: Message, receiver: Receiver, isLate: boolean): void {
    const { contact, place } = message;
    const other = this.#running.get(contact);
    if (other !== undefined) this.#wrong.push(`${place} starts while ${other.message.place} runs`);
    this.#running.set(contact, { message, receiver });
    const mustBeLate = (this.#newest.get(contact) ?? -1) > place;
    if (isLate) this.#late += 1;
    const mayBeInTime = !mustBeLate || this.#doubtful.has(contact);
    if (isLate ? !mustBeLate : !mayBeInTime)
      this.#wrong.push(`${place} has isLate ${isLate}, and must have ${mustBeLate}`);
  }

  #noteEnd(message: Message, receiver: Receiver): void {
    const { contact, place } = message;
    message.handled += 1;
    message.handledAt = receiver;
    this.#running.delete(contact);
    this.#newest.set(contact, Math.max(place, this.#newest.get(contact) ?? -1));
  }

  /** Delivers a message until it is acknowledged. */
  async #deliver(message: Message): Promise<void> {
    while (!message.isAcknowledged && message.attempts < mostAttempts) {
      await this.#attempt(message);
      if (!message.isAcknowledged) await passed(betweenAttempts);
    }
  }

  async #attempt(message: Message): Promise<void> {
    const receiver = this.#oneOf(this.#receivers);
    message.attempts += 1;
    const { body, headers } = message.delivery;
    const response = await fetch(receiver.url, { method: 'POST', body, headers }).catch(() => undefined);
    if (response?.status === 204) message.isAcknowledged = true;
  }

  /** Kills a process, and starts another one in its place. */
  async #killOne(): Promise<void> {
    const receiver = this.#oneOf(this.#receivers.filter(({ isAlive }) => isAlive));
    receiver.isAlive = false;
    this.#kills += 1;
    await end(receiver.process);
    for (const [contact, { receiver: at }] of this.#running)
      if (at === receiver) this.#running.delete(contact);
    for (const message of this.#messages.values()) this.#noteDeath(message, receiver);
    this.#receivers[this.#receivers.indexOf(receiver)] = await this.#start();
  }

  #noteDeath(message: Message, receiver: Receiver): void {
    if (message.handledAt !== receiver || message.isAcknowledged) return;
    message.handled -= 1;
    message.handledAt = undefined;
    message.unsure += 1;
    this.#doubtful.add(message.contact);
  }
}

interface Told {
  readonly step: 'start' | 'end' | 'lost' | 'wrong';
  readonly id: string;
  readonly isLate?: boolean;
  readonly number: number;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
