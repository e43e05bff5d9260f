/** One thing that was in flight, and what became of it. */
export interface Row {
  /** The version that wrote it. */
  readonly from: string;
  /** What holds it, such as a state file. */
  readonly kind: string;
  /** How it was upgraded: the old version ended first, both served for a while, or the old version was put back. */
  readonly way: 'stopped' | 'rolling' | 'downgrade';
  /** What was there before. */
  readonly before: string;
  /** Where it is now. */
  readonly now: string;
  /** Where it should be, or the part of that which counts. */
  readonly expected: string;
}

/** What a story notes: the rest of the row is the same for the whole story. */
export type Finding = Pick<Row, 'before' | 'now' | 'expected'>;

export function isAsExpected({ now, expected }: Row): boolean {
  return now.includes(expected);
}

/** What a line of the table has at most. */
const widest = 150;

/** The lines of a table for each way of each kind: what was there, and where it is now. */
export function tableLines(rows: readonly Row[]): readonly string[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const title = `${row.kind}, from ${row.from}, ${row.way}`;
    groups.set(title, [...(groups.get(title) ?? []), row]);
  }
  return [...groups].flatMap(([title, group]) => {
    const width = Math.max(...group.map(({ before }) => before.length));
    return ['', title, ...group.flatMap((row) => linesOf(row, width))];
  });
}

function linesOf(row: Row, width: number): readonly string[] {
  const margin = `\n${' '.repeat(width + 6)}`;
  const cell = (text: string) => wrapped(text, widest - width - 6).join(margin);
  const line = `${row.before.padEnd(width)}  ${cell(row.now)}`;
  return isAsExpected(row) ? [`  ✓ ${line}`] : [`  ✗ ${line}${margin}EXPECTED: ${cell(row.expected)}`];
}

/** The text in lines of so many characters, as far as its words allow. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
