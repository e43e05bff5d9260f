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
 * Reads an exposition by the grammar of the specification.
 *
 * @throws Error that names the line that breaks it.
 */
export function readOpenMetrics(text: string): ReadonlyMap<string, ReadFamily> {
  const lines = text.split('\n');
  if (lines.pop() !== '' || lines.pop() !== '# EOF') throw new Error('It does not end with # EOF.');
  const families = new Map<string, ReadFamily>();
  let current: ReadFamily | undefined;
  for (const line of lines) {
    const refuse = (what: string): never => {
      throw new Error(`${what}: ${line}`);
    };
    const [, kind, described = '', value = ''] = descriptor.exec(line) ?? [];
    if (kind === 'TYPE') {
      if (!(value in suffixes) || families.has(described)) refuse('An unknown type, or a metric twice');
      current = { name: described, type: value, samples: new Map() };
      families.set(described, current);
    } else if (kind !== undefined) {
      if (current?.name !== described || current.samples.size > 0) refuse('Not at the head of its metric');
      else describe(current, kind, value, refuse);
    } else if (current === undefined) refuse('Of no metric');
    else addSample(current, line, refuse);
  }
  return families;
}

type Refuse = (what: string) => never;

function describe(family: ReadFamily, kind: string, value: string, refuse: Refuse): void {
  if (kind === 'HELP') {
    family.help = value;
    return;
  }
  if (!family.name.endsWith(`_${value}`)) refuse('The name does not end with its unit');
  family.unit = value;
}

function addSample(family: ReadFamily, line: string, refuse: Refuse): void {
  const { type, samples } = family;
  const [, sampleName = refuse('Not of the grammar'), labels = '', value = ''] = sample.exec(line) ?? [];
  const isItsOwn = suffixes[type]?.some((suffix) => family.name + suffix === sampleName);
  if (isItsOwn !== true) refuse('Of another metric');
  const key = labels === '' ? sampleName : `${sampleName}{${labels}}`;
  if (samples.has(key)) refuse('A sample twice');
  samples.set(key, Number(value.replace(/inf/i, 'Infinity')));
}
