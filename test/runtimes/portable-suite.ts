import { outcomeOf } from '../package/commands.js';
import type { Project } from './project.js';
import type { Loading, Runtime } from './runtimes.js';

/** What became of one check. */
export interface CheckResult {
  readonly part: string;
  readonly check: string;
  readonly failure?: string;
}

/** Longer than any runtime needs, so that one that hangs fails. In milliseconds. */
const patience = 120_000;

/** Runs the portable suite in a runtime, with the package loaded in one way. */
export async function runPortableSuite(
  runtime: Runtime,
  folder: string,
  loading: Loading,
  project: Project,
): Promise<readonly CheckResult[]> {
  const [program = '', ...first] = runtime.command(folder);
  const entry =
    runtime.name === 'workerd'
      ? ['in-worker.mjs', loading, project.farSide, folder]
      : ['in-process.mjs', loading, project.farSide];
  const { stdout, stderr, ending } = await outcomeOf(program, [...first, ...entry], {
    cwd: project.folder,
    timeout: patience,
  });
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  const finished = lines.at(-1) === '{"finished":true}';
  const results = lines.slice(0, finished ? -1 : undefined).map((line): CheckResult => JSON.parse(line));
  if (finished) return results;
  return [...results, { part: 'run', check: 'goes to its end', failure: `${ending}\n${stderr}` }];
}
