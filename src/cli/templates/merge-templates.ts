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
 * Names the listed templates, and says what is different from the last pull. Keeps the names of that pull, which a person may have
 * chosen. Unless it prunes, it also keeps the templates that are listed no more: a list may be empty by a mistake, or only its
 * first page.
 */
export function mergeTemplates(
  listed: readonly ListedTemplate[],
  before: readonly PulledTemplate[],
  prune: boolean,
): { readonly templates: readonly PulledTemplate[]; readonly changes: readonly TemplateChange[] } {
  const earlier = new Map(before.map((template) => [template.id, template]));
  const ids = new Set(listed.map(({ id }) => id));
  const gone = before.filter(({ id }) => !ids.has(id));
  const kept = prune ? [] : gone;
  const changes: TemplateChange[] = gone.map(({ id }) => ({ change: prune ? 'removed' : 'missing', id }));
  const taken = new Set(before.flatMap(({ id, name }) => (prune && !ids.has(id) ? [] : [name])));
  const templates = listed.map(({ id, placeholders, text }) => {
    const known = earlier.get(id);
    const { name = free(id, taken), variables: names = [] } = known ?? {};
    taken.add(name);
    const variables = variableNames(placeholders ?? names.length, names);
    if (known === undefined) changes.push({ change: 'added', id, variables });
    else if (!isSame(names, variables))
      changes.push({ change: 'variables', id, before: names, after: variables });
    if (known !== undefined && !isSame(known.text, text)) changes.push({ change: 'text', id });
    return { id, name, variables, text };
  });
  return {
    templates: [...templates, ...kept].toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    changes,
  };
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
