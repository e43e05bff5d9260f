import type { EntryJson } from '../surface/entry.js';

/** The types of entries, in the order in which the page lists them, each with its name and its sign. */
const types: Readonly<Record<EntryJson['type'], readonly [name: string, shape: string]>> = {
  request: ['Request', 'M3 8h9M8.5 4.5 12 8l-3.5 3.5'],
  send: ['Send', 'M2 3.5h12v8H7L4 14v-2.5H2z'],
  message: ['Message', 'M14 3.5H2v8h7l3 2.5v-2.5h2zM5 7.5h6'],
  event: ['Event', 'M8 2l1.8 4 4.2.5-3.1 2.9.8 4.3L8 11.6l-3.7 2.1.8-4.3L2 6.5 6.2 6z'],
  journey: [
    'Journey',
    'M3 12.5a1.5 1.5 0 1 0 0-.01M13 3.5a1.5 1.5 0 1 0 0-.01M4.5 12.5H10a2.3 2.3 0 0 0 0-4.5H6a2.3 2.3 0 0 1 0-4.5h5.5',
  ],
  attempt: ['Delivery', 'M4 12 12 4M6 4h6v6'],
  fault: ['Fault', 'M9 2 4 9h4l-1 5 5-7H8z'],
  change: ['Change', 'M2 5h8M13 5h1M11.5 3.5v3M2 11h3M8 11h6M6.5 9.5v3'],
};

/** The names of the types, as the page says them. */
export const kinds = Object.entries(types).map(([type, [name]]) => ({ type, name }));

/** The name of a type of entries, as the page says it. */
export function kindName(type: EntryJson['type']): string {
  return types[type][0];
}

/** The sign of a type of entries. */
export function KindIcon({ type }: { readonly type: EntryJson['type'] }) {
  const [name, shape] = types[type];
  return (
    <svg class={`icon ${type}`} viewBox="0 0 16 16" role="img" aria-label={name}>
      <path d={shape} />
    </svg>
  );
}
