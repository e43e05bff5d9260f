import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { repositoryFile } from '../repository.js';

/**
 * Makes one file of a program and all of the sources that it imports, which starts in a sixth of the time that it takes
 * with `tsx`.
 *
 * @param program - A file of the repository, or the text of a program in its top folder.
 * @returns The path of the file, below the repository, so that packages are found.
 */
export async function bundle(
  program: { readonly file: string } | { readonly text: string },
): Promise<string> {
  const start =
    'file' in program
      ? { entryPoints: [repositoryFile(program.file)] }
      : { stdin: { contents: program.text, resolveDir: repositoryFile('.') } };
  const result = await build({
    ...start,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    tsconfig: repositoryFile('tsconfig.json'),
    write: false,
    logLevel: 'silent',
  });
  const code = result.outputFiles[0]?.contents ?? '';
  const folder = repositoryFile('.cache/programs');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${createHash('sha256').update(code).digest('hex').slice(0, 16)}.mjs`);
  // Several tests may write the same program at the same time.
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, code);
  await rename(unfinished, file);
  return file;
}
