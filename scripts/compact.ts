import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { gzipAsync } from '@gfx/zopfli';
import { transform } from 'esbuild';

/**
 * Takes the white space, the comments and the longer syntax out of what nobody bundles or reads: the CommonJS build and the command
 * line. Every name stays, for stack traces. It comes after the bundler, because what makes CommonJS of modules cannot read the result.
 */
const files = (await readdir('dist')).filter((name) => name === 'command-line.js' || name.endsWith('.cjs'));
if (files.length === 0) throw new Error('dist/ is empty; run `tsup` first.');
for (const file of files) {
  const { code } = await transform(await readFile(`dist/${file}`, 'utf8'), {
    minifyWhitespace: true,
    minifySyntax: true,
    target: ['node20', 'es2023'],
    legalComments: 'inline',
  });
  await writeFile(`dist/${file}`, code);
}

/**
 * Compresses the files of the page. Zopfli writes gzip that is 3 % smaller than zlib's, and takes seconds, so it does not happen while
 * the server serves. Only the compressed files are kept: almost every client asks for them.
 */
for (const name of await readdir('dist/workbench')) {
  const path = `dist/workbench/${name}`;
  await writeFile(`${path}.gz`, await gzipAsync(await readFile(path), { numiterations: 15 }));
  await rm(path);
}
