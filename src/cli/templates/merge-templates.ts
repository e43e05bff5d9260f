import { isDeepStrictEqual } from 'node:util';
import type { PulledTemplate } from './templates-files.js';

/** What happened to a template since the last pull. */
export type ChangeSincePull =
  | { readonly change: 'added'; readonly id: string; readonly variables: readonly string[] }
  /** The service does not list it. The file keeps it unless the pull prunes. */
  | { readonly change: 'missing' | 'removed'; readonly id: string }
  | {
      readonly change: 'variables';
      readonly id: string;
      readonly before: readonly string[];
      readonly after: readonly string[];
    }
  | { readonly change: 'text'; readonly id: string };

/**
 * Names the listed templates, and says what is different from the last pull. Keeps the names of that pull, which a person may have
 * chosen. Unless it prunes, it also keeps the templates that are listed no more: a list may be empty by a mistake, or only its
 * first page.
 */
export function mergeTemplates(list: readonly unknown[], before: readonly PulledTemplate[], prune: boolean) {
  const { listed, leftOut } = listedIn(list);
  const earlier = new Map(before.map((template) => [template.id, template]));
  const ids = new Set(listed.map(({ id }) => id));
  const gone = before.filter(({ id }) => !ids.has(id));
  const kept = prune ? [] : gone;
  const changes: ChangeSincePull[] = gone.map(({ id }) => ({ change: prune ? 'removed' : 'missing', id }));
  const taken = new Set(before.flatMap(({ id, name }) => (prune && !ids.has(id) ? [] : [name])));
  const templates = listed.map(({ id, placeholders, text }) => {
    const known = earlier.get(id);
    const { name = free(id, taken), variables: names = [] } = known ?? {};
    taken.add(name);
    const variables = variableNames(placeholders ?? names.length, names);
    if (known === undefined) changes.push({ change: 'added', id, variables });
    else if (!isDeepStrictEqual(names, variables))
      changes.push({ change: 'variables', id, before: names, after: variables });
    if (known !== undefined && !isDeepStrictEqual(known.text, text)) changes.push({ change: 'text', id });
    return { id, name, variables, text };
  });
  return {
    templates: [...templates, ...kept].toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    changes,
    leftOut,
  };
}

/** One name for each placeholder. */
function variableNames(placeholders: number, before: readonly string[]): readonly string[] {
  const names = before.slice(0, placeholders);
  const taken = new Set(names);
  while (names.length < placeholders) {
    const name = free(`variable${names.length + 1}`, taken);
    taken.add(name);
    names.push(name);
  }
  return names;
}

function free(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  while (taken.has(name)) name += '_';
  return name;
}

/** Reads a list of templates, sorted by id. The service's document shows only the id, so any other field may be missing. */
function listedIn(list: readonly unknown[]) {
  const byId = new Map<string, Shown[]>();
  /** Templates that a workspace cannot define, and why. */
  const leftOut: { readonly id?: string; readonly reason: string }[] = [];
  for (const entry of list) {
    const shown: Shown = Object(entry);
    if (typeof shown.id !== 'string' || shown.id === '') leftOut.push({ reason: 'it has no id' });
    else byId.set(shown.id, [...(byId.get(shown.id) ?? []), shown]);
  }
  const sorted = [...byId].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const listed = sorted.flatMap(([id, entries]) => {
    const numbers = numbersOf(entries);
    // The names of placeholders are a list, so the numbers must have no gap.
    if (numbers?.every((number) => number >= 1 && number <= numbers.length) !== false)
      return [{ id, placeholders: numbers?.length, text: textOf(entries) }];
    leftOut.push({ id, reason: 'its placeholders do not count from 1 on; send it by templateId' });
    return [];
  });
  return { listed, leftOut };
}

interface Shown {
  readonly id?: unknown;
  readonly body?: unknown;
  readonly variables?: unknown;
}

/** The placeholders of a template in all its languages; undefined where none of them shows any. */
function numbersOf(entries: readonly Shown[]): readonly number[] | undefined {
  const known: unknown[][] = [];
  for (const { body, variables } of entries) {
    if (typeof body === 'string')
      known.push(Array.from(body.matchAll(/\{\{\s*(\d+)\s*\}\}/g), ([, digits]) => digits));
    if (Array.isArray(variables) && variables.every((name) => /^\d+$/.test(String(name))))
      known.push(variables);
  }
  return known.length === 0 ? undefined : [...new Set(known.flat().map(Number))];
}

function textOf(entries: readonly Shown[]): readonly string[] {
  const bodies = new Set(entries.flatMap(({ body }) => (typeof body === 'string' ? [body] : [])));
  return [...bodies].toSorted().flatMap((body) => body.split(/\r?\n/));
}
