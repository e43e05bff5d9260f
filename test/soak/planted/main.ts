import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { soakReplicas } from '../chaos/soak.js';
import { Tally } from '../report.js';
import { filesWith, type PlantedFault, plantedFaults } from './faults.js';

// Soaks builds of the service that each have a planted fault, and sees whether the accounts find it. The build without a
// fault comes first, and must end even. Exits with 1 if it does not, or if a fault is not found.

const seed = 147;
const replicas = 3;
/** How many faults are soaked at once: a soak waits for timeouts most of the time that it does not load the service. */
const atOnce = 3;
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const notCopied = ['node_modules', '.git', '.cache', 'dist'];

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const chosen = plantedFaults.filter(({ name }) => values.only === undefined || name === values.only);
if (chosen.length === 0) {
  throw new TypeError(`--only takes one of ${plantedFaults.map(({ name }) => name).join(', ')}.`);
}

// The processes of the service end with this one.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
// Each soak at once ends its processes, its servers and its folder when this process exits.
process.setMaxListeners(10 * atOnce);

const began = performance.now();
const missed: string[] = [];
const { problems, seconds } = await soakWith(undefined, 45);
console.log(
  [
    `${problems.length === 0 ? 'even' : 'NOT EVEN'}, without a fault: ${counted(problems)}, ${seconds} s`,
    ...problems,
  ]
    .slice(0, 20)
    .join('\n  '),
);
if (problems.length > 0) missed.push('the clean run');
const waiting = [...chosen];
const judgeNext = async (): Promise<void> => {
  const fault = waiting.shift();
  if (fault === undefined) return;
  await judge(fault);
  await judgeNext();
};
await Promise.all(Array.from({ length: atOnce }, judgeNext));
const minutes = Math.round((performance.now() - began) / 60_000);
console.log(
  `${chosen.length} faults, ${minutes} min: ${missed.length === 0 ? 'all found' : `NOT ${missed.join(', ')}`}`,
);
// Set, not called: the process has to end by itself.
if (missed.length > 0) process.exitCode = 1;

/** Soaks the service with a fault, and says whether the accounts find it. */
async function judge(fault: PlantedFault): Promise<void> {
  const { problems, seconds } = await soakWith(fault, fault.seconds);
  const shown = problems.find((problem) => fault.shows.test(problem));
  if (shown === undefined) missed.push(fault.name);
  const verdict = shown === undefined ? 'NOT FOUND' : 'found';
  console.log(`${verdict}, ${fault.name}: ${counted(problems)}, ${seconds} s: ${shown ?? problems[0] ?? ''}`);
}

/** Builds the service with a fault, and soaks it. */
async function soakWith(fault: PlantedFault | undefined, load: number) {
  const name = fault?.name ?? 'no fault';
  const startedAt = performance.now();
  const elapsed = () => Math.round((performance.now() - startedAt) / 1_000);
  const folder = mkdtempSync(join(tmpdir(), 'messaging-automation-planted-'));
  // Also after an end by a signal.
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    console.log(`      ${name}: builds`);
    const program = await build(fault, folder);
    console.log(
      `      ${name}: built after ${elapsed()} s; soaks for ${load} s and until everything has ended`,
    );
    const result = await soakReplicas({
      seed,
      duration: load * 1_000,
      tally: new Tally(),
      onProgress: () => {},
      replicas,
      chaos: true,
      restores: fault?.restores === true,
      program,
    });
    if (result.folder !== undefined) rmSync(result.folder, { recursive: true });
    return { problems: result.problems, seconds: elapsed() };
  } catch (error) {
    // A service that cannot even be audited.
    return { problems: [String(error)], seconds: elapsed() };
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** Builds a copy of this repository with a fault, and returns its program. */
async function build(fault: PlantedFault | undefined, folder: string): Promise<string> {
  cpSync(repository, folder, { recursive: true, filter: (path) => !notCopied.includes(basename(path)) });
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  const sources = pathToFileURL(join(folder, 'src/'));
  for (const [file, text] of fault === undefined ? [] : filesWith(fault, sources)) {
    writeFileSync(new URL(file, sources), text);
  }
  await promisify(execFile)('npm', ['run', 'build:code'], { cwd: folder });
  return join(folder, 'dist/cli.js');
}

function counted({ length }: readonly string[]): string {
  return `${length} ${length === 1 ? 'discrepancy' : 'discrepancies'}`;
}
