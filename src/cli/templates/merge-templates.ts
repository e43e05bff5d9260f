import type { ListedTemplate } from './listed-templates.js';
import type { PulledTemplate } from './pulled-templates.js';

/** What happened to a template since the last pull. */
export type TemplateChange =
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
 * Names the listed templates. Keeps the names of the last pull, which a person may have chosen, and the templates that are
 * listed no more: a list may be empty by a mistake, or only its first page.
 *
 * @param kept Those that are listed no more, and stay.
 */
export function mergeTemplates(
  listed: readonly ListedTemplate[],
  before: readonly PulledTemplate[],
  kept: readonly PulledTemplate[],
): readonly PulledTemplate[] {
  const earlier = new Map(before.map((template) => [template.id, template]));
  const taken = new Set([
    ...kept.map(({ name }) => name),
    ...listed.flatMap(({ id }) => earlier.get(id)?.name ?? []),
  ]);
  const named = listed.map(({ id, placeholders, text }) => {
    const { name = free(id, taken), variables = [] } = earlier.get(id) ?? {};
    taken.add(name);
    return { id, name, variables: variableNames(placeholders ?? variables.length, variables), text };
  });
  return [...named, ...kept].toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** The templates of the last pull that are not listed. */
export function missingFrom(
  listed: readonly { readonly id: string }[],
  before: readonly PulledTemplate[],
): readonly PulledTemplate[] {
  const ids = new Set(listed.map(({ id }) => id));
  return before.filter(({ id }) => !ids.has(id));
}

/** The changes, by id. */
export function changesBetween(
  before: readonly PulledTemplate[],
  after: readonly PulledTemplate[],
): readonly TemplateChange[] {
  const earlier = new Map(before.map((template) => [template.id, template]));
  const later = new Map(after.map((template) => [template.id, template]));
  const ids = [...new Set([...earlier.keys(), ...later.keys()])].toSorted();
  return ids.flatMap((id) => changesOf(id, earlier.get(id), later.get(id)));
}

function changesOf(
  id: string,
  before: PulledTemplate | undefined,
  after: PulledTemplate | undefined,
): readonly TemplateChange[] {
  if (after === undefined) return [{ change: 'removed', id }];
  if (before === undefined) return [{ change: 'added', id, variables: after.variables }];
  const changes: TemplateChange[] = [];
  if (!isSame(before.variables, after.variables)) {
    changes.push({ change: 'variables', id, before: before.variables, after: after.variables });
  }
  if (!isSame(before.text, after.text)) changes.push({ change: 'text', id });
  return changes;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index]);
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
