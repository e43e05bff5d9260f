import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { environment, outcomeOf } from '../../package/commands.js';
import { repositoryFile } from '../../repository.js';

/**
 * Runs texts of tests as a person pastes them: each in a file of its own, in a folder that has the package and Vitest.
 *
 * @param ending - How the names of the files end. Default: `ts`. `mjs`: plain JavaScript, which Node.js runs as it is.
 */
export async function runTests(
  folder: string,
  tests: Readonly<Record<string, string>>,
  ending: 'ts' | 'mjs' = 'ts',
) {
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  await symlink(repositoryFile('node_modules/vitest'), join(folder, 'node_modules/vitest')).catch(() => {});
  const files = Object.entries(tests).map(([name, text]) => [`${name}.test.${ending}`, text] as const);
  for (const [file, text] of files) await writeFile(join(folder, file), text);
  const {
    stdout,
    stderr,
    ending: end,
  } = await outcomeOf(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--no-isolate',
      ...files.map(([file]) => file),
    ],
    { cwd: folder, env: { ...environment(), NO_COLOR: '1' } },
  );
  return { ending: end, printed: stripVTControlCharacters(stdout + stderr) };
}
