import { readdir, readFile, writeFile } from 'node:fs/promises';
import { transform } from 'esbuild';

/**
 * Takes the white space, the comments and the longer syntax out of what nobody bundles or reads: the CommonJS build and the command
 * line. Every name stays, for stack traces. It comes after the bundler, because what makes CommonJS of modules cannot read the result.
 */
const files = (await readdir('dist')).filter((name) => name === 'cli.js' || name.endsWith('.cjs'));
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
