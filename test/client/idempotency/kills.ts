import type { MessagingAutomation } from 'messaging-automation';
import { expect, onTestFinished } from 'vitest';
import { Chance } from '../../soak/chance.js';
import { settle } from '../../waiting.js';
import { ascending, indices } from '../bulk/items.js';
import { type Scene, startScene } from './campaign-scene.js';
import { allHabits, type Habits, plainHabits } from './habits.js';
import { Moments } from './moments.js';
import { OfferingProcess } from './offering-process.js';
import type { Line, Setting } from './offering-program.js';
import { clientFor, concurrency, indexOfKey, keyOf, offer } from './offers.js';
import type { SharedStore } from './shared-store.js';

/** How many processes run at a time. */
const lanes = 3;
/** How often one process stands still. */
const stopsOfOne = 3;
/** When a person settles keys of a process that stands still: before it goes on, while it goes on, or never. */
const whenToSettle = ['before', 'before', 'while', 'never'] as const;

export interface Troubles {
  /** Half of them are of messages, the others of events. */
  readonly keys: number;
  /** How often each key is offered, at least. */
  readonly offers: number;
  readonly kills: number;
  /** How often a process stands still for longer than its leases. */
  readonly stops: number;
  /** How often the store is killed and started again. */
  readonly restarts: number;
  /** The keys are offered part by part, each with its share of the troubles: what is carried out long ago meets none. */
  readonly parts: number;
  readonly seed: number;
}

/**
 * Three processes at a time offer the same keys, each in its own order, while they and their store are killed, hang or stand still, and the
 * network and a `fetch` fail. In the end nothing was carried out twice, and each key that was not is named, and can be settled.
 *
 * @returns What happened.
 */
export async function carryOutOnceThroughKills(
  kind: SharedStore['kind'],
  troubles: Troubles,
): Promise<Readonly<Record<string, number>>> {
  const scene = await startScene(kind, troubles.keys, troubles.seed);
  const campaign = new Campaign(scene, troubles);
  await campaign.run();
  const unknown = await campaign.expectDoneOrUnknown();
  await campaign.settleFromList(unknown);
  await campaign.expectEachOnce();
  return { ...campaign.happened, unknown: unknown.length };
}

class Campaign {
  /** How often each has happened. */
  readonly happened = {
    processes: 0,
    offers: 0,
    unclear: 0,
    hangs: 0,
    kills: 0,
    stops: 0,
    restarts: 0,
    lost: 0,
    settled: 0,
  };
  readonly #scene: Scene;
  readonly #troubles: Troubles;
  readonly #chance: Chance;
  readonly #client: MessagingAutomation;
  /** The items of which a request has left any process. Nobody knows for some time whether it arrives. */
  readonly #left = new Set<number>();
  /** When requests come to the service, and when they have a response. */
  readonly #requests = new Moments();
  /** Whether the test has ended, also before the campaign. */
  #isOver = false;
  /** The last work with the store that no restart may interrupt, or the last restart. */
  #storeWork: Promise<unknown> = Promise.resolve();

  constructor(scene: Scene, troubles: Troubles) {
    this.#scene = scene;
    this.#troubles = troubles;
    this.#chance = new Chance(troubles.seed, 0);
    const { baseUrl, service, connection } = scene;
    this.#client = clientFor({ baseUrl, apiKey: service.apiKey, idempotencyStore: connection.store });
    scene.network.onMoment = () => this.#requests.tell();
    onTestFinished(() => {
      this.#isOver = true;
    });
  }

  /** Offers all keys through all troubles. */
  async run(): Promise<void> {
    const { network, connection } = this.#scene;
    network.isTroubled = true;
    const running = this.#offerParts();
    await Promise.all([running, this.#restartStore(running)]);
    network.isTroubled = false;
    network.mend();
    await connection.endLeases();
    const { kills, stops, restarts } = this.#troubles;
    expect(this.happened).toMatchObject({ kills, restarts });
    // A slow process that has nothing left to send does not stop.
    expect(this.happened.stops).toBeGreaterThanOrEqual(Math.ceil(stops / 2));
  }

  /** Offers each key again. Each was carried out, and once, or its outcome is unknown. Returns the latter. */
  async expectDoneOrUnknown(): Promise<readonly number[]> {
    const { keys } = this.#troubles;
    const outcomes = await offer(this.#client, indices(keys));
    const carriedOut = await this.#scene.service.carriedOut();
    const evidence = new Set(carriedOut);
    expect(carriedOut.filter((index, place) => carriedOut.indexOf(index) !== place)).toEqual([]);
    const unknown = indices(keys).filter((index) => outcomes.get(index) === 'outcome_unknown');
    for (const index of indices(keys)) {
      if (outcomes.get(index) === 'outcome_unknown') continue;
      expect([index, outcomes.get(index), evidence.has(index)]).toEqual([index, 'done', true]);
    }
    const { unclear, hangs, kills, stops, restarts } = this.happened;
    const interruptions = kills + stops + lanes * restarts;
    expect(unknown.length).toBeLessThanOrEqual(unclear + hangs + concurrency * interruptions);
    return unknown;
  }

  /** Settles these items by what the lists say, and by what has arrived: as a person does. */
  async settleFromList(unknown: readonly number[]): Promise<void> {
    const evidence = new Set(await this.#scene.service.carriedOut());
    const settled: number[] = [];
    const { transactional, events } = this.#client;
    for (const resource of [transactional, events]) {
      const limit = 25;
      for (let listed = await resource.unsettled({ limit }); listed.length > 0; ) {
        expect(listed.length).toBeLessThanOrEqual(limit);
        for (const unsettled of listed) {
          const index = indexOfKey(unsettled);
          settled.push(index);
          const outcome = evidence.has(index) ? 'sent' : 'not_sent';
          expect(await resource.settle(unsettled.idempotencyKey ?? '', outcome)).toBe(true);
        }
        listed = await resource.unsettled({ limit });
      }
    }
    expect(ascending(settled)).toEqual(unknown);
  }

  /** Offers each key once more. Now each was carried out once. */
  async expectEachOnce(): Promise<void> {
    const all = indices(this.#troubles.keys);
    const outcomes = await offer(this.#client, all);
    expect([...outcomes].filter(([, outcome]) => outcome !== 'done')).toEqual([]);
    expect(ascending(await this.#scene.service.carriedOut())).toEqual(all);
  }

  async #offerParts(): Promise<void> {
    for (const part of indices(this.#troubles.parts))
      await Promise.all(indices(lanes).map(() => this.#lane(part)));
  }

  /** One process after another, until each key of the part was offered often enough and its troubles have come. */
  async #lane(part: number): Promise<void> {
    const { keys, offers, parts } = this.#troubles;
    const { happened } = this;
    const size = keys / parts;
    const until = this.#shareUntil(part);
    while (!this.#isOver && (happened.offers < (part + 1) * size * offers || happened.kills < until.kills)) {
      const habits = allHabits[happened.processes % allHabits.length] ?? plainHabits;
      const process = this.#start(habits, { first: part * size, keys: size });
      if (habits.isSlow) await this.#stopSomeTimes(process, until.stops);
      else if (happened.kills < until.kills) await this.#kill(process, size);
      await process.end;
      await this.#alone(() => this.#scene.connection.endLeases([...process.leases]));
    }
  }

  /** How many troubles have come when a part ends. */
  #shareUntil(part: number): Pick<Troubles, 'kills' | 'stops'> {
    const { kills, stops, parts } = this.#troubles;
    const share = (part + 1) / parts;
    return { kills: Math.ceil(kills * share), stops: Math.ceil(stops * share) };
  }

  #start(habits: Habits, items: Pick<Setting, 'first' | 'keys'>): OfferingProcess {
    this.happened.processes += 1;
    const { program, baseUrl, service, store } = this.#scene;
    const own = { ...items, seed: this.#troubles.seed + this.happened.processes, habits };
    return new OfferingProcess(program, { baseUrl, apiKey: service.apiKey, store, ...own }, (line, what) =>
      this.#hear(line, what),
    );
  }

  #hear(line: Line, what: string): void {
    const { happened } = this;
    if (line === 'leaves') this.#left.add(Number(what));
    if (line === 'hangs') happened.hangs += 1;
    if (line !== 'ends') return;
    happened.offers += 1;
    if (what === 'unclear') happened.unclear += 1;
    if (what === 'key_lost') happened.lost += 1;
  }

  async #kill(process: OfferingProcess, items: number): Promise<void> {
    this.happened.kills += 1;
    await Promise.race([this.#some(this.#requests, Math.ceil(items / 4)), process.end]);
    process.kill();
  }

  async #stopSomeTimes(process: OfferingProcess, most: number): Promise<void> {
    for (let times = 0; times < stopsOfOne && this.happened.stops < most; times += 1)
      await this.#stop(process);
  }

  /**
   * The process stands still until its leases have ended. A person settles keys meanwhile, and those that were not sent are offered again. Or
   * the person does so while the process goes on, or nobody does anything.
   */
  async #stop(process: OfferingProcess): Promise<void> {
    await Promise.race([this.#some(process.calls, 3 * concurrency), process.end]);
    if (!(await process.stop())) return;
    this.happened.stops += 1;
    await this.#alone(async () => {
      await this.#scene.connection.endLeases([...process.leases]);
      const when = whenToSettle[this.happened.stops % whenToSettle.length];
      if (when === 'before') await this.#offerAgain(await this.#settleWhatIsCertain());
      const goesOn = process.goOn();
      if (when === 'while') await this.#offerAgain(await this.#settleWhatIsCertain());
      await goesOn;
    });
  }

  /**
   * Settles a key whose request has arrived as sent, and one of which no request has left as not sent. A person waits with the others.
   *
   * @returns The items that are settled as not sent.
   */
  async #settleWhatIsCertain(): Promise<readonly number[]> {
    const notSent: number[] = [];
    const { transactional, events } = this.#client;
    for (const resource of [transactional, events]) {
      const listed = await resource.unsettled();
      await settle(); // what processes have said before
      const evidence = new Set(await this.#scene.service.carriedOut());
      for (const unsettled of listed) {
        const index = indexOfKey(unsettled);
        const isSent = evidence.has(index);
        if (!isSent && this.#left.has(index)) continue;
        const isSettled = await resource.settle(keyOf(index), isSent ? 'sent' : 'not_sent');
        if (isSettled && !isSent) notSent.push(index);
        if (isSettled) this.happened.settled += 1;
      }
    }
    return notSent;
  }

  async #offerAgain(items: readonly number[]): Promise<void> {
    for (const index of items) this.#left.add(index);
    const outcomes = await offer(this.#client, items);
    for (const outcome of outcomes.values()) this.#hear('ends', outcome);
  }

  async #restartStore(running: Promise<unknown>): Promise<void> {
    const { storeServer } = this.#scene;
    const { keys, restarts } = this.#troubles;
    while (!this.#isOver && this.happened.restarts < restarts) {
      this.happened.restarts += 1;
      await Promise.race([this.#some(this.#requests, Math.ceil(keys / restarts)), running]);
      await this.#alone(async () => {
        await storeServer.end('SIGKILL');
        await storeServer.start();
      });
    }
  }

  /** Does some work with the store after the work before. */
  #alone(work: () => Promise<void>): Promise<void> {
    const done = this.#storeWork.then(work);
    this.#storeWork = done.catch(() => {});
    return done;
  }

  /** Resolves when some more of these have come: one, at most so many, or any number between. */
  #some(moments: Moments, most: number): Promise<void> {
    return moments.after(this.#chance.between(1, most));
  }
}
