import { fieldPath } from '../../contract/schema.js';
import { type Drift, driftChanges } from '../model/drift.js';

type Change = (typeof driftChanges)[number];

/** A place in a body: what stands at a key of an object or a list. */
interface Place {
  readonly holder: object;
  readonly key: string | number;
  readonly value: unknown;
  readonly field: string;
}

/**
 * The body in another shape. Undefined where it is no JSON, or has nothing to change in this way.
 *
 * @param random - Gives a number from 0 up to, but not including, 1.
 */
export function driftedBody(body: string, drift: Drift, random: () => number): string | undefined {
  const value = parse(body);
  const changes = drift.change === undefined ? driftChanges : [drift.change];
  const possible = placesIn(value)
    .filter(({ field }) => drift.field === undefined || field === drift.field)
    .flatMap((place) =>
      changes.filter((change) => canChange(place, change)).map((change) => ({ place, change })),
    );
  const chosen = possible[Math.floor(random() * possible.length)];
  if (chosen === undefined) return undefined;
  apply(chosen.place, chosen.change);
  return JSON.stringify(value);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Every place of a value, outermost first. Without recursion, since a body may be nested deeply. */
function placesIn(value: unknown): readonly Place[] {
  const places: Place[] = [];
  const toVisit: { readonly value: unknown; readonly path: readonly PropertyKey[] }[] = [{ value, path: [] }];
  for (let next = toVisit.shift(); next !== undefined; next = toVisit.shift()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    const holder = next.value;
    const isList = Array.isArray(holder);
    for (const [name, child] of Object.entries(holder)) {
      const key = isList ? Number(name) : name;
      const path = [...next.path, key];
      places.push({ holder, key, value: child, field: fieldPath(path) });
      toVisit.push({ value: child, path });
    }
  }
  return places;
}

function canChange({ holder, value }: Place, change: Change): boolean {
  if (change === 'unknown_value') return typeof value === 'string';
  return change === 'retype' || !Array.isArray(holder);
}

function apply({ holder, key, value }: Place, change: Change): void {
  switch (change) {
    case 'remove':
      Reflect.deleteProperty(holder, key);
      return;
    case 'rename':
      Reflect.deleteProperty(holder, key);
      put(holder, `renamed_${key}`, value);
      return;
    case 'retype':
      put(holder, key, ofAnotherType(value));
      return;
    case 'add':
      put(holder, `beside_${key}`, 'a field that nobody knows');
      return;
    case 'unknown_value':
      put(holder, key, 'a_value_that_nobody_knows');
      return;
  }
}

/** Sets a field, whatever its name: an assignment to `__proto__` would do something else. */
function put(holder: object, key: string | number, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Neither type is one that the contract allows in the place of the other. */
function ofAnotherType(value: unknown): unknown {
  if (typeof value === 'string') return { text: value };
  return typeof value === 'object' ? 42 : { was: typeof value };
}
