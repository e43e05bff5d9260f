import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from './global-setup.js';

const exitCode = process.exitCode;
afterEach(() => {
  process.exitCode = exitCode;
  vi.unstubAllEnvs();
});

/** What the end of a run says that did this. */
async function endOfRun(run: () => Promise<void> | void) {
  const before = tmpdir();
  vi.stubEnv('TMPDIR', before); // so that a failure here does not leave the variable changed
  const teardown = await temporaryFolder();
  const folder = tmpdir();
  expect(folder).not.toBe(before);
  await run();
  const error = await teardown().then(
    () => undefined,
    (reason: unknown) => String(reason),
  );
  expect(tmpdir()).toBe(before);
  expect(existsSync(folder)).toBe(false);
  return { error, exitCode: process.exitCode };
}

test('a run that leaves nothing behind passes, and tools may keep their caches', async () => {
  expect(await endOfRun(() => mkdir(join(tmpdir(), 'tsx-1000')).then(() => {}))).toEqual({
    error: undefined,
    exitCode,
  });
});

test('a run that leaves a file fails, and the file is named and removed', async () => {
  const { error, exitCode } = await endOfRun(() => writeFile(join(tmpdir(), 'campaign.json'), '{}'));
  expect(error).toMatch(/leave behind what they must remove.*\n {2}campaign\.json$/);
  expect(exitCode).toBe(1);
});

test.runIf(existsSync('/proc/self/environ'))(
  'a run that leaves a process fails, and the process is named and ended',
  async () => {
    let pid = 0;
    const { error, exitCode } = await endOfRun(() => {
      // The shell ends, and what it started goes on.
      pid = Number(execFileSync('sh', ['-c', 'sleep 3600 >&- 2>&- & echo $!'], { encoding: 'utf8' }));
    });
    expect(error).toContain(`process: ${pid} sleep 3600`);
    expect(exitCode).toBe(1);
    await expect.poll(() => existsSync(`/proc/${pid}/cmdline`) && isRunning(pid)).toBe(false);
  },
);

function isRunning(pid: number): boolean {
  return /^State:\s+[^ZX\s]/m.test(execFileSync('cat', [`/proc/${pid}/status`], { encoding: 'utf8' }));
}
