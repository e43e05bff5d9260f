import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { folderWith } from '../folder.js';
import { repositoryFile } from '../repository.js';
import { bundle } from '../run/bundle.js';
import { notRun, succeeds } from '../run/debian.js';

const fixture = repositoryFile('test/server/state/fixtures/state-0.2.0.json');
const ofFailedTest = repositoryFile('test/server/state/fixtures/test-0.2.0.failed.json');

/** Some containers and systems forbid mounts, also in a namespace of one's own. */
const mayMount = await succeeds('unshare', '-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt');
if (!mayMount) notRun('the tests of a state file in a mount', 'this process may not mount');

let folder: string;
let file: string;

beforeEach(async () => {
  folder = join(folderWith({}), 'data');
  file = join(folder, 'state.json');
  await mkdir(folder);
});

/** Runs a shell script in which `$serve` starts `serve` with the state file, in the folder of that file. */
async function serveAfter(script: string, ...wrapper: readonly string[]) {
  const program = await bundle({ file: 'src/cli/main.ts' });
  const serve = `${process.execPath} ${program} serve --port 0 --state ${file}`;
  const [command = '', ...words] = [...wrapper, 'sh', '-c', script];
  const child = spawn(command, words, { cwd: folder, env: { ...process.env, serve, fixture, file } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [output, complaints] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { exitCode: child.exitCode, output, complaints };
}

describe.skipIf(!mayMount)('in a mount, a state file', () => {
  const mounting = (script: string) => serveAfter(script, 'unshare', '-rm');

  test.each(['empty', 'whole'])(
    'that is mounted by itself is refused with the way out, %s as it was',
    async (content) => {
      const other = join(folder, '..', 'other.json');
      await writeFile(other, content === 'whole' ? await readFile(fixture) : '');
      const before = await readFile(other);
      const { exitCode, complaints } = await mounting(`touch $file; mount --bind ${other} $file; $serve`);
      expect(exitCode).toBe(2);
      expect(complaints).toContain('Mount its folder, and name the file in that.');
      expect(await readFile(other)).toEqual(before);
      expect(await readdir(folder)).toEqual(['state.json']);
    },
  );

  test.each(['state.json', 'none.json'])('in a read-only file system is refused: %s', async (name) => {
    file = join(folder, name);
    const { exitCode, complaints } = await mounting(
      `mount -t tmpfs tmpfs . && cd $PWD && cp $fixture state.json && mount -o remount,ro,bind $PWD && $serve`,
    );
    expect(exitCode).toBe(2);
    expect(complaints).toContain('EROFS: read-only file system');
    expect(complaints).toContain('The file system is read-only. Mount it so that it can be written');
  });

  test('of a failed test is shown in a read-only file system, too', async () => {
    file = join(folder, 'test.failed.json');
    const { output } = await mounting(
      `mount -t tmpfs tmpfs . && cd $PWD && cp ${ofFailedTest} $file && mount -o remount,ro,bind $PWD && $serve | head -n 3`,
    );
    expect(output).toContain('It shows the failed test "a "beginning""');
  });

  test.each(['0.1.0', '0.2.0'])(
    'of version %s on a full disk stays whole, with nothing half-written beside it, and its start is refused',
    async (version) => {
      const earlier = repositoryFile(`test/server/state/fixtures/state-${version}.json`);
      const { exitCode, output, complaints } = await mounting(
        `mount -t tmpfs -o size=96k tmpfs . && cd $PWD && cp ${earlier} state.json && { yes | head -c 90000 > fill 2>/dev/null; $serve; code=$?; ls; cat state.json; exit $code; }`,
      );
      expect(complaints).toContain('The disk is full');
      expect(exitCode).toBe(2);
      expect(output).toBe(`fill\nstate.json\n${await readFile(earlier, 'utf8')}`);
    },
  );
});

test('a state file in a folder in which this user may not write is refused', async () => {
  await writeFile(file, await readFile(fixture));
  await chmod(folder, 0o555);
  // Root may write everywhere, unless it has no capabilities.
  const asUser = process.getuid?.() === 0 ? ['setpriv', '--inh-caps=-all', '--bounding-set=-all'] : [];
  const { exitCode, complaints } = await serveAfter('$serve', ...asUser);
  await chmod(folder, 0o755);
  expect(exitCode).toBe(2);
  expect(complaints).toContain('EACCES: permission denied');
  expect(complaints).toContain('This user may not do that. Change the permissions of the folder');
});

test('a state that is larger than a process may write stays in the earlier file, whole', async () => {
  await writeFile(file, await readFile(fixture));
  const { exitCode, complaints } = await serveAfter('ulimit -f 16; $serve');
  expect(exitCode).toBe(2);
  expect(complaints).toContain('The file is larger than this process may write (ulimit -f)');
  expect(await readFile(file)).toEqual(await readFile(fixture));
  expect(await readdir(folder)).toEqual(['state.json']);
});
