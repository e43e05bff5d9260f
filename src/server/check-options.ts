import * as z from 'zod/mini';
import { validate } from '../contract/schema.js';
import type { FieldProblem } from '../foundation/options.js';
import type { ReferenceServerOptions } from './options.js';
import { duration } from './seed/fields.js';
import { parseSeed } from './seed/parse-seed.js';
import type { WorkspaceSeed } from './seed/workspace-seed.js';
import { isSharedStore } from './store/server-store.js';

const isFunction = (value: unknown) => typeof value === 'function';
const aFunction = z.custom(isFunction, 'must be a function');

const wantedBytes = 'must be a whole number of bytes, one or more';

const wantedOrigins =
  "must be '*' or a list of origins, such as 'https://app.example.com', without a slash at the end";

const wantedHosts = "must be a list of host names without ports, such as 'service.test'";

/** The options of the server itself; all others belong to the seed of the first workspace. */
const ownOptions = {
  state: z.looseObject({}, 'must be the result of state() of a server'),
  store: z.custom(isSharedStore, 'must be a store, such as the result of postgresStore()'),
  systemClock: z.custom(isClock, 'must be a clock, with now and setTimer'),
  deliveryTimeout: duration,
  shutdownGrace: duration,
  bodyLimit: z.int(wantedBytes).check(z.gte(1, wantedBytes)),
  receiverAddresses: z.enum(['public', 'loopback', 'any'], "must be 'public', 'loopback' or 'any'"),
  cors: z.union([z.literal('*'), z.array(z.custom(isOrigin, { abort: true }))], wantedOrigins),
  workbench: z.boolean('must be true or false'),
  allowedHosts: z.array(z.string().check(z.regex(/^[\w.-]+$/, wantedHosts)), wantedHosts),
  metrics: z.boolean('must be true or false'),
  fetch: aFunction,
  newId: aFunction,
  randomBytes: aFunction,
  log: aFunction,
} satisfies Readonly<Record<Exclude<keyof ReferenceServerOptions, keyof WorkspaceSeed>, z.core.$ZodType>>;

const serverOptions = z.partial(z.object(ownOptions));

/**
 * Checks the options and returns the seed of the first workspace.
 *
 * @throws ConfigurationError that names every invalid or unknown option.
 */
export function seedOf(options: ReferenceServerOptions): WorkspaceSeed {
  const validation = validate(serverOptions, options);
  const others = Object.entries(options).filter(([name]) => !Object.hasOwn(ownOptions, name));
  return parseSeed('The options argument of createReferenceServer', Object.fromEntries(others), [
    ...(validation.valid ? [] : validation.problems),
    ...(options.state === undefined ? [] : besideState(others)),
    ...(options.state === undefined || options.store === undefined ? [] : [storeBesideState]),
  ]);
}

/** The seed fields that conflict with a state, which already holds them. */
function besideState(others: readonly (readonly [name: string, value: unknown])[]): readonly FieldProblem[] {
  return others
    .filter(([name, value]) => name !== 'apiKey' && value !== undefined)
    .map(([field]) => ({
      field,
      message: 'cannot be combined with state, which already holds it; remove one of them',
    }));
}

const storeBesideState: FieldProblem = {
  field: 'store',
  message: 'cannot be combined with state: both hold the workspaces; remove one of them',
};

function isClock(value: unknown): boolean {
  return ['now', 'setTimer'].every((method) => isFunction(Reflect.get(Object(value), method)));
}

/** An origin as browsers send it; a page without a host sends `null`. */
function isOrigin(value: unknown): boolean {
  if (value === '*' || value === 'null') return true;
  return typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value;
}
