import * as z from 'zod/mini';
import { validate } from '../contract/schema.js';
import type { FieldProblem } from '../foundation/field-problem.js';
import type { ReferenceServerOptions } from './options.js';
import { duration } from './seed/fields.js';
import { parseSeed } from './seed/parse-seed.js';
import type { WorkspaceSeed } from './seed/workspace-seed.js';

const isFunction = (value: unknown) => typeof value === 'function';
const aFunction = z.custom(isFunction, 'must be a function');

const wantedBytes = 'must be a whole number of bytes, one or more';

const wantedOrigins =
  "must be '*' or a list of origins, such as 'https://app.example.com', without a slash at the end";

/** The options of the server itself; all others are its first workspace's seed. */
const ownOptions = {
  state: z.looseObject({}, 'must be what state() of a server gave'),
  systemClock: z.custom(isClock, 'must be a clock, with now and setTimer'),
  deliveryTimeout: duration,
  shutdownGrace: duration,
  bodyLimit: z.int(wantedBytes).check(z.gte(1, wantedBytes)),
  receiverAddresses: z.enum(['public', 'loopback', 'any'], "must be 'public', 'loopback' or 'any'"),
  cors: z.union([z.literal('*'), z.array(z.custom(isOrigin, { abort: true }))], wantedOrigins),
  fetch: aFunction,
  newId: aFunction,
  randomBytes: aFunction,
  log: aFunction,
} satisfies Readonly<Record<Exclude<keyof ReferenceServerOptions, keyof WorkspaceSeed>, z.ZodMiniType>>;

const serverOptions = z.partial(z.object(ownOptions));

/**
 * The first workspace's seed, out of options that are all right.
 *
 * @throws TypeError that names every option that is wrong or not known.
 */
export function seedOf(options: ReferenceServerOptions): WorkspaceSeed {
  const validation = validate(serverOptions, options);
  const others = Object.entries(options).filter(([name]) => !Object.hasOwn(ownOptions, name));
  return parseSeed('What createReferenceServer was given', Object.fromEntries(others), [
    ...(validation.valid ? [] : validation.problems),
    ...(options.state === undefined ? [] : besideState(others)),
  ]);
}

/** What cannot stand beside a state, since that says it. */
function besideState(others: readonly (readonly [name: string, value: unknown])[]): readonly FieldProblem[] {
  return others
    .filter(([name, value]) => name !== 'apiKey' && value !== undefined)
    .map(([field]) => ({
      field,
      message: 'cannot stand beside state, which holds all that the workspaces began with',
    }));
}

function isClock(value: unknown): boolean {
  return ['now', 'setTimer'].every((method) => isFunction(Reflect.get(Object(value), method)));
}

/** An origin as browsers send it; `null` is that of a page without a host. */
function isOrigin(value: unknown): boolean {
  if (value === '*' || value === 'null') return true;
  return typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value;
}
