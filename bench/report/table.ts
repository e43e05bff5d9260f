import { describeTarget, describeVerdict, formatValue, type Report, type Section } from './section.js';

const columns = ['', 'value', 'measured', 'target', ''] as const;

/** The report as text for a terminal. */
export function tableOf({ method, sections }: Report): string {
  return [...sections.map(sectionTable), `${method}\n`].join('\n');
}

function sectionTable(section: Section): string {
  const lines = section.rows.map((row) => [
    `${row.ours ? '▸' : ' '} ${row.name}`,
    formatValue(row.value),
    row.measured,
    describeTarget(section, row),
    describeVerdict(section, row),
  ]);
  const table = [columns, ...lines];
  const widths = columns.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
  const text = table.map((cells) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  const heading = `${section.title} (${section.unit}; ${section.better} is better)`;
  return `${heading}\n${text.join('\n')}\n`;
}
