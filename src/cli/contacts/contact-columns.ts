import type { UpsertContactInput } from '../../index.js';
import { UsageError } from '../terminal/failures.js';
import { rejectedColumns } from './rejects-file.js';

/** The value of `--map`: a property for each named column. An empty property leaves the column out. */
export type ColumnMap = Readonly<Record<string, string>>;

/** The property in each column of a table; `undefined` for a column that is left out. */
export class ContactColumns {
  readonly properties: readonly (string | undefined)[];

  /** @throws UsageError if no column has the phones, or a column's property is ambiguous. */
  constructor(header: readonly string[], map: ColumnMap) {
    for (const name of Object.keys(map)) {
      if (!header.includes(name))
        throw new UsageError(`--map names the column ${name}, which the file does not have.`);
    }
    this.properties = header.map((name, place) => {
      if (name === '') throw new UsageError(`Column ${place + 1} has no name. Give it one in the first row.`);
      if (Object.hasOwn(map, name)) return map[name] || undefined;
      return rejectedColumns.includes(name) ? undefined : name;
    });
    // The first row may be a contact by mistake, so no message shows its cells.
    this.properties.forEach((property, place) => {
      const first = this.properties.indexOf(property);
      if (property === undefined || first === place) return;
      throw new UsageError(
        `Columns ${first + 1} and ${place + 1} both set the same property. Leave one out: --map COLUMN=`,
      );
    });
    if (!this.properties.includes('phone')) {
      throw new UsageError(
        `None of the ${header.length} columns is named phone. The first row must name the columns; ` +
          'use --map COLUMN=phone for the one with the phones, and --delimiter for the character between cells.',
      );
    }
  }

  /** The contact in a row. */
  contactIn(cells: readonly string[]): UpsertContactInput {
    const given = this.properties.flatMap((property, place) => {
      const cell = cells[place] ?? '';
      return property === undefined || cell === '' ? [] : [[property, cell] as const];
    });
    const properties = Object.fromEntries(given.filter(([property]) => property !== 'phone'));
    const [, phone = ''] = given.find(([property]) => property === 'phone') ?? [];
    return { phone, ...(Object.keys(properties).length > 0 && { properties }) };
  }
}
