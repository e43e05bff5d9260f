import type { EntryAsJson } from '../../server/http/control/as-json.js';

/** An entry of the journal, as the server's stream has it. */
export type Entry = EntryAsJson & { readonly number: number };

/** The entries of one type. */
export type EntryOf<Type extends Entry['type']> = Extract<Entry, { readonly type: Type }>;

/** A webhook delivery with its attempts. */
export type Delivery = EntryOf<'attempt'>['delivery'];

/** One attempt of a delivery. */
export type Attempt = EntryOf<'attempt'>['attempt'];

/** One run of a contact through a journey. */
export type JourneyRun = EntryOf<'journey'>['run'];
