import { ConfigurationError } from '../foundation/options.js';

/**
 * Clients that a store cannot use, although they have its methods: what distinguishes each, what it is, and what to pass instead,
 * written with `client`, if there is such a thing.
 */
export type OtherClients = readonly (readonly [
  isOne: (client: unknown) => boolean,
  what: string,
  adapter?: string,
])[];

/**
 * Refuses a client that takes other arguments, or returns something else, than the store expects: each operation would fail, for ever.
 *
 * @param remedy What to pass instead.
 * @throws {ConfigurationError} that names the package of the client.
 */
export function refuseOtherClients(
  owner: string,
  client: unknown,
  others: OtherClients,
  remedy: string,
): void {
  const [, what, adapter] = others.find(([isOne]) => isOne(client)) ?? [];
  if (what === undefined) return;
  const orAdapter = adapter === undefined ? '' : `, or ${adapter}`;
  throw new ConfigurationError(
    `${owner}: this is ${what}, which the store cannot use. Pass ${remedy}${orAdapter}.`,
  );
}

/** Tests whether a value has these properties, of any kind. */
export const hasProperties =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    names.every((name) => Reflect.get(Object(value), name) !== undefined);
