import { isObject } from '../../foundation/is-object.js';

/** A field that was renamed: its path, in which `*` is each item of a list, and its new name. */
type Renamed = readonly [path: string, newName: string];

/**
 * The fields of a server's state that have another name in version 1, which 0.1.0 wrote. Each is named by its whole path, because users
 * may use the same names in the properties, bodies and texts that a state contains.
 */
const renamedInState: readonly Renamed[] = [
  ['defaults.specGaps.updateAnswer', 'updateResponse'],
  ['workspaces.*.specGaps.updateAnswer', 'updateResponse'],
  ['workspaces.*.deliveries.*.attempts.*.answer', 'responseBody'],
  ['workspaces.*.beginning.settings.specGaps.updateAnswer', 'updateResponse'],
  ['workspaces.*.beginning.state.deliveries.*.attempts.*.answer', 'responseBody'],
  ['workspaces.*.beginning', 'initialState'],
];

/** The same for a snapshot, whose version is 1 in every version of the package so far. */
const renamedInSnapshot: readonly Renamed[] = [['deliveries.*.attempts.*.answer', 'responseBody']];

/** Converts a server's state of version 1 to version 2. Does not check it. */
export function stateOfVersion1(state: object): object {
  return { ...Object(withNewNames(state, renamedInState)), version: 2 };
}

/** Gives the fields of a snapshot their present names, whichever version of the package took it. Does not check it. */
export function snapshotOfAnyVersion(snapshot: unknown): unknown {
  return withNewNames(snapshot, renamedInSnapshot);
}

function withNewNames(value: unknown, renamed: readonly Renamed[]): unknown {
  return renamed.reduce((sofar, [path, newName]) => rename(sofar, path.split('.'), newName), value);
}

/** Renames the field at the path, and copies only what is on the way to it. */
function rename(value: unknown, [step = '', ...further]: readonly string[], newName: string): unknown {
  if (step === '*') {
    return Array.isArray(value) ? value.map((item) => rename(item, further, newName)) : value;
  }
  if (!isObject(value) || !Object.hasOwn(value, step)) return value;
  const isLast = further.length === 0;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (name !== step) return [name, field];
      return isLast ? [newName, field] : [name, rename(field, further, newName)];
    }),
  );
}
