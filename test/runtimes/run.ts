/**
 * Runs the packed package on every runtime it promises: `npm run test:runtimes`.
 *
 * - `--only bun,deno`: these runtimes alone.
 * - `--quick`: the portable suite alone, without the repository's own tests on other versions of Node.js.
 *
 * Exits with 1 where anything failed.
 */
import { parseArgs } from 'node:util';
import { fetchPackage } from './fetched-package.js';
import { type CheckResult, runPortableSuite } from './portable-suite.js';
import { type Project, startProject } from './project.js';
import { runRepositoryTests } from './repository-tests.js';
import { type Runtime, runtimes } from './runtimes.js';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});

const wanted = chosen(options.only);
const project = await startProject();
try {
  for (const runtime of wanted) await tryOn(runtime, project);
} finally {
  await project[Symbol.asyncDispose]();
}

function chosen(names: string | undefined): readonly Runtime[] {
  if (names === undefined) return runtimes;
  return names.split(',').map((name) => {
    const found = runtimes.find((runtime) => runtime.name === name);
    if (found) return found;
    throw new Error(`There is no runtime ${name}; there are ${runtimes.map((one) => one.name).join(', ')}.`);
  });
}

async function tryOn(runtime: Runtime, on: Project): Promise<void> {
  progress(`${runtime.name}: getting ${runtime.source.package} ${runtime.source.version}\n`);
  const folder = await fetchPackage(runtime.source);
  for (const loading of runtime.loadings)
    await record(runtime, loading, () => runPortableSuite(runtime, folder, loading, on));
  if (runtime.runsTests && !options.quick)
    await record(runtime, 'sources', () => runRepositoryTests(runtime, folder));
}

async function record(
  runtime: Runtime,
  loading: string,
  run: () => Promise<readonly CheckResult[]>,
): Promise<void> {
  progress(`${runtime.name}: package as ${loading} … `);
  const results = await run();
  const failures = results.filter(({ failure }) => failure !== undefined);
  if (failures.length > 0) process.exitCode = 1;
  progress(`${results.length - failures.length} passed\n`);
  for (const { part, check, failure = '' } of failures)
    progress(`FAILED: ${part}: ${check}\n  ${failure.slice(0, 2_000).replaceAll('\n', '\n  ')}\n`);
}

function progress(text: string): void {
  process.stderr.write(text);
}
