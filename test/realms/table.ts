/** Prints rows under their headings, each column as wide as it needs to be. */
export function printTable(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const lines = [['', ...columns], ...rows];
  const widths = ['', ...columns].map((_, column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  );
  const text = lines.map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  process.stdout.write(`\n${title}\n${text.join('\n')}\n`);
}
