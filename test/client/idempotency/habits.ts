import { setTimeout as pause } from 'node:timers/promises';
import type { FetchFunction, KeyValueService, SendGuard } from 'messaging-automation';
import type { Chance } from '../../soak/chance.js';
import { untyped } from '../support/samples.js';

/** What is wrong with a process, and how long its calls may take. */
export interface Habits {
  /** The deadline of each call, in milliseconds: below or above the 30 seconds of a lease. */
  readonly timeout: number;
  /** After how many milliseconds the caller of each call gives up. Default: never. */
  readonly patience?: number;
  /** Calls wait for a guard and for the API key, after they have their idempotency key. */
  readonly isSlow?: boolean;
  readonly storeHangs?: boolean;
  readonly fetchMisbehaves?: boolean;
}

export const plainHabits: Habits = { timeout: 5_000 };

/** The processes take turns in these. */
export const allHabits: readonly Habits[] = [
  { timeout: 180_000, patience: 10_000, isSlow: true },
  { timeout: 400, storeHangs: true, fetchMisbehaves: true },
  { timeout: 180_000, patience: 1_000, isSlow: true, storeHangs: true, fetchMisbehaves: true },
  plainHabits,
  { timeout: 400, storeHangs: true },
];

const never = new Promise<never>(() => {});

/** Waits for some moments, of which none passes while the process stands still: the world may change meanwhile. */
async function dawdle(chance: Chance): Promise<void> {
  const moments = chance.in(0.3) ? chance.between(1, 20) : 0;
  for (let moment = 0; moment < moments; moment += 1) await pause(10);
}

export function slowGuard(chance: Chance): SendGuard {
  return {
    async check() {
      await dawdle(chance);
      return undefined;
    },
  };
}

/** An API key that comes from elsewhere, such as a vault. */
export function slowApiKey(apiKey: string, chance: Chance): () => Promise<string> {
  return async () => {
    await dawdle(chance);
    return apiKey;
  };
}

/** A store some of whose operations take long or for ever, before the store does them or after. */
export function hangingStore(store: KeyValueService, chance: Chance, onHang: () => void): KeyValueService {
  async function hang(): Promise<void> {
    if (!chance.in(0.005)) return;
    onHang();
    await chance.pick([() => pause(200), () => pause(1_500), () => never])();
  }
  async function slowly<T>(work: () => Promise<T>): Promise<T> {
    await hang();
    const result = await work();
    await hang();
    return result;
  }
  return {
    get: (key) => slowly(() => store.get(key)),
    set: (...given) => slowly(() => store.set(...given)),
    setIfAbsent: (...given) => slowly(() => store.setIfAbsent(...given)),
    replaceIfEqual: (...given) => slowly(() => store.replaceIfEqual(...given)),
    deleteIfEqual: (...given) => slowly(() => store.deleteIfEqual(...given)),
  };
}

/** What a custom `fetch` may give in place of the response of the service. */
const misbehaviours: readonly [() => unknown, ...(() => unknown)[]] = [
  () => undefined,
  () => ({ text: async () => '{"success":true,"accepted":true}' }),
  () => Object.defineProperty({ text: async () => '' }, 'status', { get: fail }),
  () => Object.defineProperty({ status: 200, text: async () => '' }, 'headers', { get: fail }),
  () => ({ status: 200, headers: new Headers(), text: () => never }),
  () => fail(),
  () => {
    throw Object.assign(new Error('This page is dynamic.'), { digest: 'DYNAMIC' });
  },
];

function fail(): never {
  throw new TypeError('This fetch misbehaves.');
}

/** A `fetch` that makes each request, and sometimes returns something else than its response. */
export const misbehavingFetch =
  (chance: Chance): FetchFunction =>
  async (url, init) => {
    const response = await fetch(url, init);
    if (!chance.in(0.2)) return response;
    await response.text();
    return untyped<Response>(chance.pick(misbehaviours)());
  };
