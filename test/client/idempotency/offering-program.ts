/** One process that offers keys: `node offering-program.mjs <setting>`. It prints a line for what its parent has to know. */

import type { ClientOptions, KeyValueService } from 'messaging-automation';
import { Chance } from '../../soak/chance.js';
import { indices } from '../bulk/items.js';
import { type Habits, hangingStore, misbehavingFetch, slowApiKey, slowGuard } from './habits.js';
import { JumpingClock } from './jumping-clock.js';
import { clientFor, indexOfRequest, offer } from './offers.js';
import { connectTo, type SharedStore } from './shared-store.js';

/** What the process receives. */
export interface Setting {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly store: SharedStore;
  /** It offers this item, and as many in all. */
  readonly first: number;
  readonly keys: number;
  readonly seed: number;
  readonly habits: Habits;
}

/** The first word of a line that the process prints, and what follows it. */
export type Line =
  /** It is about to write a lease: its name. */
  | 'lease'
  /** A request leaves: the index of its item. */
  | 'leaves'
  /** A call has ended: its outcome. */
  | 'ends'
  /** An operation of its store hangs. */
  | 'hangs'
  /** It stops. */
  | 'stops'
  /** It goes on. */
  | 'goes';

const say = (line: Line, what: string | number = '') => process.stdout.write(`${line} ${what}\n`);

/** In milliseconds. */
const longerThanALease = 31_000;

/**
 * Stops between two turns of the event loop when the parent asks, and goes on when the leases of this process have ended by the clock of
 * the store. A process may stop at any other moment, too. But no client can do anything about a stop between the
 * confirmation of its key and its request.
 */
function stopWhenAsked(clock: JumpingClock): void {
  process.on('SIGUSR2', () => {
    say('stops');
    process.kill(process.pid, 'SIGSTOP');
    say('goes');
    clock.jump(longerThanALease);
  });
}

function tellingLeases(store: KeyValueService): KeyValueService {
  return {
    ...store,
    set(key, value, ttl) {
      say('lease', key);
      return store.set(key, value, ttl);
    },
  };
}

function optionsFor(
  { baseUrl, apiKey, habits }: Setting,
  store: KeyValueService,
  chance: Chance,
): ClientOptions {
  const { timeout, isSlow, storeHangs, fetchMisbehaves } = habits;
  const exchange = fetchMisbehaves ? misbehavingFetch(chance) : fetch;
  const told = tellingLeases(store);
  return {
    baseUrl,
    timeout,
    apiKey: isSlow ? slowApiKey(apiKey, chance) : apiKey,
    guards: isSlow ? [slowGuard(chance)] : [],
    idempotencyStore: storeHangs ? hangingStore(told, chance, () => say('hangs')) : told,
    fetch(url, init) {
      say('leaves', indexOfRequest(init));
      return exchange(url, init);
    },
  };
}

/** All items, in an order of this process. */
function shuffled({ first, keys }: Setting, chance: Chance): readonly number[] {
  return indices(keys)
    .map((index) => ({ index: first + index, place: chance.between(0, 2 ** 30) }))
    .sort((one, other) => one.place - other.place)
    .map(({ index }) => index);
}

const setting: Setting = JSON.parse(process.argv[2] ?? '');
const { seed, habits } = setting;
const clock = new JumpingClock();
stopWhenAsked(clock);
const { store } = await connectTo(setting.store);
const messaging = clientFor({ ...optionsFor(setting, store, new Chance(seed, 0)), clock });
await offer(messaging, shuffled(setting, new Chance(seed, 1)), {
  patience: habits.patience,
  onOutcome: (outcome) => say('ends', outcome),
});
// What hangs now never ends: the process leaves it as it is.
process.exit();
