import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { endProcesses, filesIn, processesOf } from './leftovers.js';
import { serveSharedThings } from './shared-things.js';

/** Lets the tests of the run share what is expensive, and fails the run for what they leave behind. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const endOfFolder = await temporaryFolder();
  const sharedThings = await serveSharedThings();
  project.provide('sharedThings', sharedThings.address);
  return async () => {
    await sharedThings.end();
    await endOfFolder();
  };
}

/**
 * Gives the whole run a temporary folder of its own, and fails the run for each file in it and each process that is
 * left at the end. It removes them in any case. `TMPDIR` is how every process of the run finds the folder, and how a
 * process that outlives its test is found.
 */
async function temporaryFolder(): Promise<() => Promise<void>> {
  const before = process.env.TMPDIR;
  // A short name, because Chromium puts a socket below it, whose path has at most 107 bytes.
  const folder = await mkdtemp(join(tmpdir(), 'tests-'));
  await chmod(folder, 0o711); // a server that a test runs as another user has its files below it
  process.env.TMPDIR = folder;
  return async () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    const processes = await processesOf(folder);
    await endProcesses(processes);
    const left = [...processes.map(({ command }) => `process: ${command}`), ...(await filesIn(folder))];
    await rm(folder, { recursive: true, force: true });
    if (left.length === 0) return;
    process.exitCode = 1; // Vitest prints an error of a teardown, and takes the run for passed.
    throw new Error(
      `The tests leave behind what they must remove, also when they fail:\n  ${left.join('\n  ')}`,
    );
  };
}
