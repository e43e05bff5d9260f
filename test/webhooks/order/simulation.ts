import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Clock } from '../../../src/foundation/clock.js';
import type { KeyValueService } from '../../../src/key-value/key-value-service.js';
import { createMemoryKeyValueStore } from '../../../src/key-value/memory.js';
import {
  createDedupeStore,
  type DedupeStore,
  type TurnStore,
} from '../../../src/webhooks/dedupe/dedupe-store.js';
import { readRecord } from '../../../src/webhooks/order/turn-record.js';
import { type ContactTurn, ContactTurns } from '../../../src/webhooks/order/turns.js';
import { ManualClock } from '../../server/support/manual-clock.js';

const second = 1_000;
const [lease, hour] = [30 * second, 3_600 * second];

/** What may go wrong, each as a chance from 0 to 1. */
export interface Trouble {
  /** A call of the store fails, before or after the store has done it. */
  readonly failure: number;
  /** The store never responds to a call that is about turns. */
  readonly hang: number;
  /** A process dies while a handler runs. One always stays alive. */
  readonly death: number;
  /** A delivery gives up if it has waited for 300 milliseconds. */
  readonly impatience: number;
  /** A handler fails. */
  readonly failingHandler: number;
}

export interface Plan {
  readonly seed: number;
  readonly processes: number;
  readonly contacts: number;
  readonly deliveries: number;
  readonly trouble?: Partial<Trouble>;
}

type State = 'to come' | 'waiting' | 'running' | 'handled' | 'failed' | 'gave up' | 'dead';
const unfinished: readonly State[] = ['to come', 'waiting', 'running'];

interface Delivery {
  readonly id: number;
  readonly key: string;
  readonly holder: string;
  readonly contact: string;
  readonly timestamp: number;
  readonly process: Process;
  turn?: ContactTurn;
  state: State;
  waitsSince: number;
}

/** A process with its clock and its connection to the store, which end when it dies. */
interface Process {
  isAlive: boolean;
  readonly clock: Clock;
  readonly store: DedupeStore;
  readonly turns: ContactTurns;
}

/** Runs the deliveries of some contacts in some processes, over one store whose calls take time, and says what was wrong. */
export async function simulate(plan: Plan) {
  const simulation = new Simulation(plan);
  await simulation.run();
  return simulation;
}

class Simulation {
  readonly wrong: string[] = [];
  readonly deliveries: readonly Delivery[];
  readonly #processes: readonly Process[];
  readonly #clock = new ManualClock();
  readonly #store: DedupeStore;
  readonly #trouble: Trouble;
  readonly #generator;
  /** The deliveries arrive within this time, in milliseconds. */
  readonly #arrival: number;

  constructor({ seed, processes, contacts, deliveries, trouble }: Plan) {
    this.#generator = xoroshiro128plus(seed * 7919 + 1);
    this.#trouble = { failure: 0, hang: 0, death: 0, impatience: 0, failingHandler: 0, ...trouble };
    this.#arrival = deliveries * 20;
    this.#store = this.#watchClaims(
      createDedupeStore(this.#watchRecords(createMemoryKeyValueStore({ clock: this.#clock }))),
    );
    this.#processes = Array.from({ length: processes }, () => this.#createProcess());
    this.deliveries = Array.from({ length: deliveries }, (_, id) => ({
      id,
      key: `delivery:${id}`,
      holder: `holder ${id}`,
      contact: `contact-${this.#below(contacts)}`,
      timestamp: this.#below(2 * deliveries),
      process: this.#oneOf(this.#processes),
      state: 'to come',
      waitsSince: 0,
    }));
  }

  async run(): Promise<void> {
    const start = this.#clock.now();
    for (const delivery of this.deliveries)
      this.#deliver(delivery).catch((error: unknown) => this.wrong.push(`${delivery.id}: ${error}`));
    while (this.#left().length > 0 && this.wrong.length === 0) {
      if (this.#clock.now() - start > 600 * second) this.wrong.push(...this.#left());
      await new Promise(setImmediate);
      this.#clock.pass(5);
    }
  }

  count(state: State): number {
    return this.deliveries.filter((each) => each.state === state).length;
  }

  /** What is not over yet. */
  #left(): string[] {
    const alive = this.#processes.filter(({ isAlive }) => isAlive);
    return [
      ...this.deliveries
        .filter(({ state }) => unfinished.includes(state))
        .map(({ id, state }) => `${id} is ${state}`),
      ...alive
        .filter(({ turns }) => turns.size > 0)
        .map(({ turns }) => `a process keeps ${turns.size} lines`),
    ];
  }

  #random(): number {
    return uniformFloat64(this.#generator);
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #happens(chance: number): boolean {
    return this.#random() < chance;
  }

  #oneOf<Item>(items: readonly Item[]): Item {
    const item = items[this.#below(items.length)];
    if (item === undefined) throw new Error('There is none.');
    return item;
  }

  #passed(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.#clock.setTimer(resolve, milliseconds));
  }

  #createProcess(): Process {
    const clock: Clock = {
      now: () => this.#clock.now(),
      setTimer: (callback, delay) => this.#clock.setTimer(() => process.isAlive && callback(), delay),
    };
    const shared = this.#store;
    const { turns } = shared;
    if (turns === undefined) throw new Error('The store has no turns.');
    const call = <Result>(work: () => Result | Promise<Result>) => this.#call(process, work);
    const callOfTurns = <Result>(work: () => Result | Promise<Result>) =>
      this.#happens(this.#trouble.hang) ? new Promise<never>(() => {}) : call(work);
    const turnStore: TurnStore = {
      read: (...words) => callOfTurns(() => turns.read(...words)),
      replace: (...words) => callOfTurns(() => turns.replace(...words)),
      stateOf: (...words) => callOfTurns(() => turns.stateOf(...words)),
    };
    const process: Process = {
      isAlive: true,
      clock,
      store: {
        claim: (...words) => call(() => shared.claim(...words)),
        renew: (...words) => call(() => shared.renew(...words)),
        commit: (...words) => call(() => shared.commit(...words)),
        release: (...words) => call(() => shared.release(...words)),
      },
      turns: new ContactTurns({ store: turnStore, clock, ttl: hour, mostWaiting: 1_000 }),
    };
    return process;
  }

  async #call<Result>(process: Process, work: () => Result | Promise<Result>): Promise<Result> {
    const untilDead = async () => (process.isAlive ? undefined : new Promise<never>(() => {}));
    await this.#passed(1 + this.#below(10));
    await untilDead();
    if (this.#happens(this.#trouble.failure / 2)) throw new Error('The store is away.');
    const result = await work();
    await this.#passed(1 + this.#below(10));
    await untilDead();
    if (this.#happens(this.#trouble.failure / 2)) throw new Error('The reply is lost.');
    return result;
  }

  /** What a receiver does with a delivery. */
  async #deliver(delivery: Delivery): Promise<void> {
    const { key, holder, process, timestamp, contact } = delivery;
    await this.#passed(this.#below(this.#arrival));
    if (!process.isAlive) return;
    const turn = process.turns.join(contact, { timestamp, key, holder });
    if (turn === undefined) throw new Error('There is no room.');
    delivery.turn = turn;
    if (this.#happens(0.5)) turn.prefetch();
    await this.#untilDone(() => process.store.claim(key, { holder, lease }));
    this.#keepRenewing(delivery);
    delivery.state = 'waiting';
    delivery.waitsSince = this.#clock.now();
    if (this.#happens(this.#trouble.impatience)) process.clock.setTimer(() => this.#giveUp(delivery), 300);
    if (!(await turn.begin())) return;
    this.#checkStart(delivery);
    delivery.state = 'running';
    if (this.#happens(this.#trouble.death))
      process.clock.setTimer(() => this.#kill(process), this.#below(100));
    await this.#passed(1 + this.#below(60));
    const isHandled = !this.#happens(this.#trouble.failingHandler);
    await this.#untilDone(() =>
      isHandled ? process.store.commit(key, { holder, ttl: hour }) : process.store.release(key, { holder }),
    );
    await turn.leave({ handled: isHandled });
  }

  async #untilDone(work: () => unknown): Promise<void> {
    for (;;) {
      try {
        await work();
        return;
      } catch {
        await this.#passed(200);
      }
    }
  }

  #keepRenewing({ process, key, holder }: Delivery): void {
    const { clock, store } = process;
    const renew = () => {
      clock.setTimer(renew, lease / 3);
      Promise.resolve(store.renew(key, { holder, lease })).catch(() => {});
    };
    clock.setTimer(renew, lease / 3);
  }

  async #giveUp(delivery: Delivery): Promise<void> {
    if (delivery.state !== 'waiting') return;
    delivery.state = 'gave up';
    delivery.turn?.leave({ handled: false });
    const { process, key, holder } = delivery;
    await this.#untilDone(() => process.store.release(key, { holder }));
  }

  #kill(process: Process): void {
    if (this.#processes.filter(({ isAlive }) => isAlive).length === 1) return;
    process.isAlive = false;
    for (const delivery of this.deliveries)
      if (delivery.process === process && unfinished.includes(delivery.state)) delivery.state = 'dead';
  }

  #checkStart(delivery: Delivery): void {
    const { contact, id, timestamp, process, turn } = delivery;
    const ofContact = this.deliveries.filter((other) => other !== delivery && other.contact === contact);
    for (const other of ofContact) {
      if (other.state === 'running') this.wrong.push(`${id} starts while ${other.id} runs`);
      const hasWaited = other.state === 'waiting' && other.waitsSince < this.#clock.now();
      if (hasWaited && other.process === process && other.timestamp < timestamp)
        this.wrong.push(`${id} starts before ${other.id} of its process, which is older`);
    }
    const isLate = ofContact.some(({ state, timestamp: each }) => state === 'handled' && each > timestamp);
    if (turn?.isLate !== isLate) this.wrong.push(`${id} has isLate ${turn?.isLate}, and must have ${isLate}`);
  }

  /** A handler has run when the store knows. */
  #watchClaims(store: DedupeStore): DedupeStore {
    const end = (key: string, state: State) => {
      const found = this.deliveries.find((each) => each.key === key);
      if (found?.state === 'running') found.state = state;
    };
    return {
      ...store,
      async commit(key, options) {
        await store.commit(key, options);
        end(key, 'handled');
      },
      async release(key, options) {
        await store.release(key, options);
        end(key, 'failed');
      },
    };
  }

  /** Of each record that is written, the one that gets the turn must be the oldest that is alive. */
  #watchRecords(service: KeyValueService): KeyValueService {
    const see = (key: string, isWritten: boolean, before: string | undefined, text: string) => {
      if (isWritten && key.includes('turn:')) this.#checkRecord(before, text);
      return isWritten;
    };
    return {
      ...service,
      setIfAbsent: async (key, text, ttl) =>
        see(key, await service.setIfAbsent(key, text, ttl), undefined, text),
      replaceIfEqual: async (key, before, text, ttl) =>
        see(key, await service.replaceIfEqual(key, before, text, ttl), before, text),
    };
  }

  #checkRecord(before: string | undefined, text: string): void {
    const { turn, waiting } = readRecord(text);
    const alive = waiting.filter(({ holder }) =>
      this.deliveries.some((each) => each.holder === holder && each.state === 'waiting'),
    );
    if (turn === undefined && alive.length > 0) this.wrong.push(`nobody has the turn: ${text}`);
    if (turn === undefined || turn.holder === readRecord(before).turn?.holder) return;
    for (const { holder, timestamp } of alive)
      if (timestamp < turn.timestamp) this.wrong.push(`${turn.holder} gets the turn before ${holder}`);
  }
}
