import type { EntryJson } from '../../server/subjects/journal/entry-json.js';

export type { AttemptRecord, JourneyRunRecord } from '../../server/model/records.js';
export type { DeliverySnapshot } from '../../server/workspace/state-schema.js';
export type { EntryJson };

/** The entries of one type. */
export type EntryJsonOf<Type extends EntryJson['type']> = Extract<EntryJson, { readonly type: Type }>;
