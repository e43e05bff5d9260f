import { ConfigurationError } from '../foundation/options.js';

/** Clients that a store cannot use, although they have its methods: what distinguishes each, and what it is. */
export type OtherClients = readonly (readonly [isOne: (client: unknown) => boolean, what: string])[];

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
  const found = others.find(([isOne]) => isOne(client));
  if (found !== undefined)
    throw new ConfigurationError(
      `${owner}: this is ${found[1]}, which the store cannot use. Pass ${remedy}.`,
    );
}

/** Tests whether a value has these properties, of any kind. */
export const hasProperties =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    names.every((name) => Reflect.get(Object(value), name) !== undefined);
