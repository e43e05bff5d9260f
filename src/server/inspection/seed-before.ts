import { type Schema, validate } from '../../contract/schema.js';
import type { ChangeEntry } from '../model/journal-entry.js';
import { changedIn } from '../seed/as-seed.js';
import { journeySeedSchema } from '../seed/journey-seed.js';
import { segmentSeedSchema } from '../seed/segment-seed.js';
import { specGapsSchema } from '../seed/spec-gaps-schema.js';
import { templateSeedSchema, type WorkspaceSeed } from '../seed/workspace-seed.js';
import { textIn } from './code.js';

/** A change with its number in the journal. */
export type NumberedChange = ChangeEntry & { readonly number: number };

/** Returns a workspace as it was before changes: undoes them, the last one first. Each change says what it replaced. */
export function seedBefore(now: WorkspaceSeed, changes: readonly NumberedChange[]): WorkspaceSeed {
  const latestFirst = [...changes].sort((one, other) => other.number - one.number);
  const first = changes.find(({ operation }) => operation === 'specGaps.set');
  const gaps = first && validated(specGapsSchema, first.before);
  return {
    ...now,
    templates: undone('templates', templateSeedSchema, now.templates, latestFirst),
    segments: undone('segments', segmentSeedSchema, now.segments, latestFirst),
    journeys: undone('journeys', journeySeedSchema, now.journeys, latestFirst),
    specGaps: gaps === undefined ? now.specGaps : changedIn(gaps),
  };
}

/** Returns the id of the template, segment or journey that a change concerns. */
export function idOfChanged({ operation, arguments: given = [] }: ChangeEntry): string | undefined {
  if (!/^(templates|segments|journeys)\./.test(operation)) return undefined;
  const [first] = given;
  return typeof first === 'string' ? first : textIn(first, 'id');
}

function undone<Item extends { readonly id: string }>(
  subject: 'templates' | 'segments' | 'journeys',
  schema: Schema<Item>,
  now: readonly Item[] = [],
  latestFirst: readonly NumberedChange[],
): readonly Item[] {
  let known = new Map(now.map((item) => [item.id, item]));
  for (const change of latestFirst) {
    const { operation, before } = change;
    if (operation === 'restore' && before !== undefined) {
      const replaced: unknown = Reflect.get(Object(before), subject);
      const items = [replaced].flat().flatMap((each) => validated(schema, each) ?? []);
      known = new Map(items.map((item) => [item.id, item]));
    }
    const id = operation.startsWith(`${subject}.`) ? idOfChanged(change) : undefined;
    if (id === undefined) continue;
    const item = validated(schema, before);
    if (item === undefined) known.delete(id);
    else known.set(id, item);
  }
  return [...known.values()];
}

/** Returns a value of the journal, if it is one of the schema. */
export function validated<Value>(schema: Schema<Value>, value: unknown): Value | undefined {
  const validation = validate(schema, value);
  return validation.valid ? validation.value : undefined;
}
