/** A template in the list of a service. */
export interface ListedTemplate {
  readonly id: string;
  /** The number of placeholders, if the service shows it. */
  readonly placeholders: number | undefined;
  /** The lines of the text. */
  readonly text: readonly string[];
}

/** A template that a workspace cannot define, and why. */
export interface LeftOut {
  readonly id?: string;
  readonly reason: string;
}

/** Reads a list of templates, sorted by id. The service's document shows only the id, so any other field may be missing. */
export function listedTemplates(list: readonly unknown[]): {
  readonly templates: readonly ListedTemplate[];
  readonly leftOut: readonly LeftOut[];
} {
  const byId = new Map<string, Shown[]>();
  const leftOut: LeftOut[] = [];
  for (const entry of list) {
    const shown: Shown = Object(entry);
    if (typeof shown.id !== 'string' || shown.id === '') leftOut.push({ reason: 'it has no id' });
    else byId.set(shown.id, [...(byId.get(shown.id) ?? []), shown]);
  }
  const templates: ListedTemplate[] = [];
  for (const [id, entries] of [...byId].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const numbers = numbersOf(entries);
    if (numbers !== undefined && !isFromOneOn(numbers)) {
      leftOut.push({ id, reason: 'its placeholders do not count from 1 on; send it by templateId' });
    } else {
      templates.push({ id, placeholders: numbers?.size, text: textOf(entries) });
    }
  }
  return { templates, leftOut };
}

interface Shown {
  readonly id?: unknown;
  readonly body?: unknown;
  readonly variables?: unknown;
}

/** The placeholders of a template in all its languages; undefined where none of them shows any. */
function numbersOf(entries: readonly Shown[]): ReadonlySet<number> | undefined {
  const all = entries.flatMap(({ body, variables }) => [placeholdersIn(body), listedIn(variables)]);
  const known = all.filter((numbers) => numbers !== undefined);
  return known.length === 0 ? undefined : new Set(known.flat());
}

function placeholdersIn(body: unknown): readonly number[] | undefined {
  if (typeof body !== 'string') return undefined;
  return [...body.matchAll(/\{\{\s*(\d+)\s*\}\}/g)].map(([, digits]) => Number(digits));
}

function listedIn(variables: unknown): readonly number[] | undefined {
  if (!Array.isArray(variables) || !variables.every((name) => /^\d+$/.test(String(name)))) return undefined;
  return variables.map(Number);
}

/** The names of placeholders are a list, so the numbers must have no gap. */
function isFromOneOn(numbers: ReadonlySet<number>): boolean {
  return [...numbers].every((number) => number >= 1 && number <= numbers.size);
}

function textOf(entries: readonly Shown[]): readonly string[] {
  const bodies = new Set(entries.flatMap(({ body }) => (typeof body === 'string' ? [body] : [])));
  return [...bodies].toSorted().flatMap((body) => body.split(/\r?\n/));
}
