import type { EntryJson } from '../../server/subjects/journal/entry-json.js';

/** An entry of the journal. */
export type Entry = EntryJson;

/** The entries of one type. */
export type EntryOf<Type extends Entry['type']> = Extract<Entry, { readonly type: Type }>;

/** A webhook delivery with its attempts. */
export type Delivery = EntryOf<'attempt'>['delivery'];

/** One attempt of a delivery. */
export type Attempt = EntryOf<'attempt'>['attempt'];

/** One run of a contact through a journey. */
export type JourneyRun = EntryOf<'journey'>['run'];
