/** A metric, as a reader of OpenMetrics 1.0 has it. */
export interface ReadFamily {
  readonly name: string;
  readonly type: string;
  unit?: string;
  help?: string;
  /** The values, by the sample's name with its labels as text. */
  readonly samples: Map<string, number>;
}

// The ABNF of the specification, without exemplars and timestamps, which the server has no use for.
const name = '[A-Za-z_:][\\w:]*';
const character = '(?:[^\\n"\\\\]|\\\\[n"\\\\])';
const label = `[A-Za-z_]\\w*="${character}*"`;
const number = '[+-]?(?:\\d+(?:\\.\\d*)?(?:e[+-]?\\d+)?|\\d*\\.\\d+(?:e[+-]?\\d+)?|inf|nan)';
const descriptor = new RegExp(`^# (TYPE|HELP|UNIT) (${name}) (${character}*)$`);
const sample = new RegExp(`^(${name})(?:\\{(${label}(?:,${label})*)?\\})? (${number})$`, 'i');

/** What each type adds to the names of its samples. */
const suffixes: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total', '_created'],
  gauge: [''],
  histogram: ['_bucket', '_count', '_sum', '_created'],
  info: ['_info'],
};

/**
 * Reads an exposition as strictly as the specification has it.
 *
 * @throws Error that names the line that breaks it.
 */
export function readOpenMetrics(text: string): ReadonlyMap<string, ReadFamily> {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.pop() !== '# EOF') throw new Error('It does not end with # EOF.');
  const families = new Map<string, ReadFamily>();
  const taken = new Set<string>();
  let current: ReadFamily | undefined;
  for (const line of lines) {
    const refuse = (what: string): never => {
      throw new Error(`${what}: ${line}`);
    };
    const [, kind, described = '', value = ''] = descriptor.exec(line) ?? [];
    if (kind === 'TYPE') {
      current = { name: described, type: value, samples: new Map() };
      const added = suffixes[value] ?? refuse('An unknown type');
      const names = new Set(['', ...added].map((suffix) => described + suffix));
      if ([...names].some((each) => taken.has(each))) refuse('Names that clash');
      for (const each of names) taken.add(each);
      families.set(described, current);
    } else if (kind !== undefined) {
      if (current?.name !== described || current.samples.size > 0) refuse('Not at the head of its metric');
      else describe(current, kind, value, refuse);
    } else if (current === undefined) refuse('Of no metric');
    else addSample(current, line, refuse);
  }
  for (const family of families.values()) if (family.type === 'histogram') checkBuckets(family);
  return families;
}

type Refuse = (what: string) => never;

function describe(family: ReadFamily, kind: string, value: string, refuse: Refuse): void {
  if (kind === 'HELP') {
    family.help = value;
    return;
  }
  if (!family.name.endsWith(`_${value}`)) refuse('The name does not end with its unit');
  if (family.type === 'info') refuse('An info has no unit');
  family.unit = value;
}

function addSample(family: ReadFamily, line: string, refuse: Refuse): void {
  const { type, samples } = family;
  const [, sampleName = refuse('Not of the grammar'), labels = '', value = ''] = sample.exec(line) ?? [];
  const isItsOwn = suffixes[type]?.some((suffix) => family.name + suffix === sampleName);
  if (isItsOwn !== true) refuse('Of another metric');
  const key = labels === '' ? sampleName : `${sampleName}{${labels}}`;
  if (samples.has(key)) refuse('A sample twice');
  const names = [...labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, labelName]) => labelName);
  if (new Set(names).size !== names.length) refuse('A label twice');
  const amount = Number(value.replace(/inf/i, 'Infinity'));
  if (type === 'counter' && !(amount >= 0)) refuse('A counter below zero');
  if (type === 'info' && amount !== 1) refuse('An info that is not 1');
  samples.set(key, amount);
}

/** Buckets are cumulative, in order, and end with all that was measured. */
function checkBuckets({ name: family, samples }: ReadFamily): void {
  const series = new Map<string, { readonly limit: number; readonly value: number }[]>();
  for (const [key, value] of samples) {
    const [, labels, limit = ''] = /_bucket\{(.*?),?le="([^"]+)"\}$/.exec(key) ?? [];
    if (labels === undefined) continue;
    const upTo = limit === '+Inf' ? Infinity : Number(limit);
    series.set(labels, [...(series.get(labels) ?? []), { limit: upTo, value }]);
  }
  for (const [labels, buckets] of series) {
    const suffix = labels === '' ? '' : `{${labels}}`;
    const rises = buckets.every(({ limit, value }, i) => {
      const before = buckets[i - 1];
      return (
        Number.isInteger(value) && (before === undefined || (limit > before.limit && value >= before.value))
      );
    });
    const last = buckets.at(-1);
    if (!rises || last?.limit !== Infinity) throw new Error(`The buckets of ${family}${suffix} are wrong.`);
    const isWhole =
      samples.get(`${family}_count${suffix}`) === last.value && samples.has(`${family}_sum${suffix}`);
    if (!isWhole) throw new Error(`The count of ${family}${suffix} is wrong, or it has no sum.`);
  }
}
