import {
  errorStatuses,
  errorsOfAnyOperation,
  type OperationError,
  type Shown,
} from '../src/contract/error.js';
import { operationList } from '../src/contract/operations.js';

type Row = Readonly<Record<string, string>>;

/** The ledger, with its tables of operations and of errors as the code has them. */
export function withTables(ledger: string): string {
  const tables = { 'The table of operations': operationRows(), Errors: errorRows() };
  return Object.entries(tables).reduce((text, [heading, rows]) => withTable(text, heading, rows), ledger);
}

/** Replaces the table under a heading. */
function withTable(text: string, heading: string, rows: readonly Row[]): string {
  const [before, section, ...others] = text.split(`\n## ${heading}\n`);
  const table = section?.match(/^\|.*\n(?:\|.*\n)+/m)?.[0];
  if (section === undefined || table === undefined || others.length > 0) {
    throw new Error(`The ledger has no one table under "## ${heading}".`);
  }
  return `${before}\n## ${heading}\n${section.replace(table, () => written(rows))}`;
}

function written(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const lines = [columns, ...rows.map((row) => Object.values(row))].map(
    (cells) => `| ${cells.join(' | ')} |\n`,
  );
  lines.splice(1, 0, `${'|---'.repeat(columns.length)}|\n`);
  return lines.join('');
}

function operationRows(): readonly Row[] {
  return operationList.map((operation) => ({
    Operation: `\`${operation.name}\``,
    Endpoint: `${operation.method} ${operation.path}`,
    Success: Object.values(operation.successes).join(', '),
    'Not shown': operation.notShown.join(', ') || 'nothing',
    Repeatable: operation.repeatable ? 'yes' : 'no',
  }));
}

/** A row for each code and each degree in which the document shows it. */
function errorRows(): readonly Row[] {
  const degrees: readonly Shown[] = ['status and code', 'status', 'nothing'];
  return Object.entries(errorStatuses).flatMap(([code, status]) => {
    const rows = degrees.flatMap((shown) => {
      const operations = operationsWith(code, shown);
      return operations ? [{ operations, shown }] : [];
    });
    const listed = rows.length > 0 ? rows : [{ operations: 'none of the table', shown: 'nothing' }];
    return listed.map(({ operations, shown }) => ({
      Status: String(status),
      Code: `\`${code}\``,
      Operations: operations,
      Shown: shown,
    }));
  });
}

function operationsWith(code: string, shown: Shown): string {
  const isIt = (error: OperationError) => error.code === code && error.shown === shown;
  if (errorsOfAnyOperation.some(isIt)) return 'all';
  return operationList
    .filter(({ errors }) => errors.some(isIt))
    .map(({ name }) => name)
    .join(', ');
}
