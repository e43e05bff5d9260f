import { fieldPath } from '../../contract/schema.js';
import { driftChanges, type ShapeChange } from '../model/fault.js';

type Change = (typeof driftChanges)[number];

/** A position in a body: a key of an object or a list, and its value. */
interface Place {
  readonly holder: object;
  readonly key: string | number;
  readonly value: unknown;
  readonly field: string;
}

/**
 * Changes the shape of a body. Undefined if the body is not JSON, or this change does not apply to it.
 *
 * @param drawn - A random number from 0 up to, but not including, 1.
 */
export function driftedBody(body: string, drift: ShapeChange, drawn: number): string | undefined {
  const value = parse(body);
  const changes = drift.change === undefined ? driftChanges : [drift.change];
  const possible = placesIn(value)
    .filter(({ field }) => drift.field === undefined || field === drift.field)
    .flatMap((place) =>
      changes.filter((change) => canChange(place, change)).map((change) => ({ place, change })),
    );
  const chosen = possible[Math.floor(drawn * possible.length)];
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

/** Every position in a value, outermost first. Without recursion, because a body can nest deeply. */
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
      put(holder, `beside_${key}`, 'an unknown field');
      return;
    case 'unknown_value':
      put(holder, key, 'a_value_that_nobody_knows');
      return;
  }
}

/** Sets a field of any name. An assignment to `__proto__` would change the prototype instead. */
function put(holder: object, key: string | number, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The contract never allows one of these types instead of the other. */
function ofAnotherType(value: unknown): unknown {
  if (typeof value === 'string') return { text: value };
  return typeof value === 'object' ? 42 : { was: typeof value };
}
