import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Client, type Pool } from 'pg';
import { isObject } from '../../../src/foundation/is-object.js';
import { Database, type Queryable } from '../../../src/postgres/database/connection.js';
import { repositoryFile } from '../../repository.js';

/** The tables that grow with the use of the service. */
export const growingTables = [
  'subscriptions',
  'contacts',
  'events',
  'journey_runs',
  'sends',
  'messages',
  'deliveries',
  'journal',
];

/** The tables that can be large. The last one has few rows where nothing lags, and can be read whole then. */
const largeTables = [...growingTables, 'fan_outs'];

/** A statement that ran, also within a function, and the plan that it ran by. */
export interface RunStatement {
  readonly text: string;
  readonly plan: PlanNode;
  /** Whether PostgreSQL compiled it. */
  readonly isCompiled: boolean;
}

/** A step of a plan, with the names of `explain`. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Total Cost': number;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Makes each later connection to a database say what it runs, and by which plans, as notices. */
export async function explainAll(pool: Pool, database: string): Promise<void> {
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
  };
  for (const [name, value] of Object.entries(settings)) {
    await pool.query(`alter database ${database} set ${name} = '${value}'`);
  }
}

/** Watches every `Database`: which statements it runs, by which plans, and which lines of the sources send them. */
export class Watch implements Disposable {
  /** The statements since the last `take`. */
  #statements: RunStatement[] = [];
  readonly #texts = new Set<string>();
  readonly #lines = new Set<string>();
  readonly #original = {
    pool: Database.prototype.pool,
    query: Database.prototype.query,
    transaction: Database.prototype.transaction,
  };
  readonly #listened = new WeakSet<object>();

  constructor() {
    const { pool, query, transaction } = this.#original;
    const watch = this;
    Database.prototype.pool = async function () {
      const opened = await pool.call(this);
      watch.#listenTo(opened);
      return opened;
    };
    Database.prototype.query = function (...given) {
      watch.#noteSender();
      return query.apply(this, given);
    };
    Database.prototype.transaction = function <Result>(
      work: (transaction: Queryable) => Promise<Result>,
      ...rest: ['read committed' | 'repeatable read'] | []
    ) {
      const watched = ({ query: send }: Queryable) =>
        work({
          query: (...given) => {
            watch.#noteSender();
            return send(...given);
          },
        });
      return transaction.call(this, watched, ...rest) as Promise<Result>;
    };
  }

  [Symbol.dispose](): void {
    Object.assign(Database.prototype, this.#original);
  }

  /** Returns the statements since the last call. */
  take(): readonly RunStatement[] {
    return this.#statements.splice(0);
  }

  /** The lines of the sources that never sent their statement, as `file:line`. */
  neverSent(): readonly string[] {
    const files = ['records', 'replica'].flatMap((folder) =>
      readdirSync(repositoryFile(`src/postgres/${folder}`)).map((name) => `${folder}/${name}`),
    );
    const senders = ['postgres-store.ts', ...files].flatMap((file) =>
      readFileSync(repositoryFile(`src/postgres/${file}`), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          /(database|transaction)\.query\(/i.test(line) ? [`${file}:${index + 1}`] : [],
        ),
    );
    return senders.filter((sender) => !this.#lines.has(sender)).sort();
  }

  /**
   * The statements, and the functions of a schema, that read within JSON, except those of the jobs, whose JSON has escaped texts,
   * and the migration of their tables.
   * An operator or a function that does so fails at a NUL or a lone surrogate.
   */
  async readingJson(pool: Pool, schema: string): Promise<readonly string[]> {
    const sources = (await functionsOf(pool, schema)).map(({ source }) => normal(source));
    const ours = [...this.#texts].filter(
      (text) =>
        !text.includes(`"${schema}_jobs"._private`) && !text.startsWith(`lock table "${schema}_jobs"`),
    );
    return [...ours, ...sources].filter((text) =>
      /->|#>|@>|<@|\?[|&]|\bjsonb|\bjson_(array_el|each|extract|exists|object_keys|popul|query|table|to_record|value)/i.test(
        text,
      ),
    );
  }

  /** The statements on tables in the bodies of the functions of a schema that never ran. */
  async neverRun(pool: Pool, schema: string): Promise<readonly string[]> {
    const ran = [...this.#texts].map(withoutFirstWord);
    return (await functionsOf(pool, schema)).flatMap(({ name, source }) =>
      normal(source)
        .replace(/(?<!insert) into \w+(, \w+)*/g, '')
        .split(';')
        .filter(
          (part) => /\b(from|join|update|into) "/.test(part) && !ran.some((text) => part.includes(text)),
        )
        .map((part) => `${name}: ${part.trim()}`),
    );
  }

  #listenTo(pool: Awaited<ReturnType<Database['pool']>>): void {
    if (this.#listened.has(pool)) return;
    this.#listened.add(pool);
    pool.on('connect', (client) => {
      if (client instanceof Client) client.on('notice', ({ message = '' }) => this.#note(message));
    });
  }

  #note(message: string): void {
    const [, json] = /^duration: .* plan:\n([\s\S]*)$/.exec(message) ?? [];
    if (json === undefined) return;
    const explained: { 'Query Text': string; Plan: PlanNode; JIT?: object } = JSON.parse(json);
    const text = normal(explained['Query Text']);
    this.#texts.add(text);
    this.#statements.push({ text, plan: explained.Plan, isCompiled: isObject(explained.JIT) });
  }

  /** Notes the line of the sources that called the caller of this method. */
  #noteSender(): void {
    const lines = (new Error().stack ?? '').split('\n');
    const [, path = '', line] =
      lines
        .map((each) => /([^( ]*\/src\/postgres\/(?!database\/)[^:]+):(\d+)/.exec(each))
        .find((found) => found !== null) ?? [];
    this.#lines.add(`${relative(repositoryFile('src/postgres'), path.replace('file://', ''))}:${line}`);
  }
}

async function functionsOf(pool: Pool, schema: string) {
  const { rows } = await pool.query<{ name: string; source: string }>(
    `select proname as name, prosrc as source from pg_proc
     where pronamespace = $1::text::regnamespace and prolang = (select oid from pg_language where lanname = 'plpgsql')`,
    [schema],
  );
  return rows;
}

function normal(text: string): string {
  return text.replace(/--.*/g, '').replace(/\s+/g, ' ').trim();
}

function withoutFirstWord(text: string): string {
  return text.replace(/^\w+ /, '');
}

/** What a stock planner should never do with a statement: one line for each fault. */
export function faultsOf({ text, plan, isCompiled }: RunStatement, mostRows: number): readonly string[] {
  const faults = isCompiled ? ['is compiled'] : [];
  if (plan['Total Cost'] >= 100_000) faults.push(`is expected to cost ${plan['Total Cost']}`);
  for (const node of nodesOf(plan)) {
    const table = tableOf(node);
    if (table === undefined) continue;
    if (node['Node Type'] === 'Seq Scan' && growingTables.includes(table))
      faults.push(`reads all of ${table}`);
    const read = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
    if (read > mostRows)
      faults.push(`reads ${read} rows of ${table} by ${node['Index Name'] ?? node['Node Type']}`);
  }
  return [...new Set(faults)].map((fault) => `${fault}: ${text}`);
}

function nodesOf(plan: PlanNode): readonly PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

function tableOf(node: PlanNode): string | undefined {
  if (!node['Node Type'].endsWith('Scan')) return undefined;
  const name =
    node['Relation Name'] ?? largeTables.find((table) => node['Index Name']?.startsWith(`${table}_`));
  return largeTables.find((table) => table === name);
}
