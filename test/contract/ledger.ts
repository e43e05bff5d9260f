import { readFileSync } from 'node:fs';
import { repositoryFile } from '../repository.js';

/** One row of a table: its cells by the heading of their column. */
export type Row = Readonly<Record<string, string>>;

/** A proof that a row names: a case of the contract suite, or a test in a file. */
export interface Proof {
  /** The test file, without its ending, under test/; absent for a case of the contract suite. */
  readonly file?: string;
  readonly name: string;
}

/** The rows of the one table under each `##` heading of the ledger. */
export function readLedger(): ReadonlyMap<string, readonly Row[]> {
  const text = readFileSync(repositoryFile('docs/contract.md'), 'utf8');
  const sections = text.split(/^## /m).slice(1);
  return new Map(sections.map((section) => [section.slice(0, section.indexOf('\n')), tableIn(section)]));
}

function tableIn(section: string): readonly Row[] {
  const [heading = [], , ...rows] = section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split('|')
        .map((cell) => cell.trim()),
    );
  return rows.map((cells) => {
    if (cells.length !== heading.length) throw new Error(`A row of the ledger is torn: ${cells.join(' | ')}`);
    return Object.fromEntries(heading.map((name, column) => [name, cells[column] ?? '']));
  });
}

/** The proofs a row names: each code in its last column. */
export function proofsIn(row: Row): readonly Proof[] {
  const codes = [...(row['Proved by'] ?? '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  return codes.map((code) => {
    const [file = '', ...name] = code.split(' › ');
    return name.length === 0 ? { name: code } : { file, name: name.join(' › ') };
  });
}
