import type { ReferenceServerOptions } from './options.js';
import { parseSeed } from './seed/parse-seed.js';
import type { WorkspaceSeed } from './seed/workspace-seed.js';
import { isDuration, wantedDuration } from './time/duration.js';

/** What an option must be, in words and as a test. */
type Requirement = readonly [wanted: string, holds: (value: unknown) => boolean];

const aFunction: Requirement = ['must be a function', (value) => typeof value === 'function'];
const aDuration: Requirement = [wantedDuration, isDuration];

/** The options of the server itself; all others are its first workspace's seed. */
const requirements: Readonly<
  Record<Exclude<keyof ReferenceServerOptions, keyof WorkspaceSeed>, Requirement>
> = {
  state: ['must be what state() of a server gave', (value) => typeof value === 'object' && value !== null],
  systemClock: ['must be a clock, with now and setTimer', isClock],
  deliveryTimeout: aDuration,
  shutdownGrace: aDuration,
  bodyLimit: [
    'must be a whole number of bytes, one or more',
    (value) => Number.isInteger(value) && Number(value) > 0,
  ],
  receiverAddresses: [
    "must be 'public', 'loopback' or 'any'",
    (value) => value === 'public' || value === 'loopback' || value === 'any',
  ],
  cors: [
    "must be '*' or a list of origins, such as 'https://app.example.com', without a slash at the end",
    (value) => value === '*' || (Array.isArray(value) && value.every(isOrigin)),
  ],
  fetch: aFunction,
  newId: aFunction,
  randomBytes: aFunction,
  log: aFunction,
};

/**
 * The first workspace's seed, out of options that are all right.
 *
 * @throws TypeError that names every option that is wrong or not known.
 */
export function seedOf(options: ReferenceServerOptions): WorkspaceSeed {
  const seed: Record<string, unknown> = { ...options };
  const problems: string[] = [];
  for (const [name, [wanted, holds]] of Object.entries(requirements)) {
    if (seed[name] !== undefined && !holds(seed[name])) problems.push(`${name} ${wanted}`);
    delete seed[name];
  }
  if (options.state !== undefined) problems.push(...besideState(seed));
  return parseSeed('What createReferenceServer was given', seed, problems);
}

/** An origin as browsers send it; `null` is that of a page without a host. */
function isOrigin(value: unknown): boolean {
  if (value === '*' || value === 'null') return true;
  return typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value;
}

/** What cannot stand beside a state, since that says it. */
function besideState({ apiKey: _, ...seed }: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(seed)
    .filter((name) => seed[name] !== undefined)
    .map((name) => `${name} cannot stand beside state, which holds all that the workspaces began with`);
}

function isClock(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'now') === 'function' &&
    typeof Reflect.get(value, 'setTimer') === 'function'
  );
}
