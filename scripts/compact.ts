import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { gzipAsync } from '@gfx/zopfli';
import { transform } from 'esbuild';

/**
 * Takes the white space, the comments and the longer syntax out of what nobody bundles or reads: the CommonJS build, the command line, and
 * what only a server, a check of a deployment or a tool loads. Every name stays, for stack traces, and lines stay short, because Node.js
 * prints the line that threw. It comes after the bundler, because what makes CommonJS of modules cannot read the result.
 */
const files = await readdir('dist');
if (files.length === 0) throw new Error('dist/ is empty; run `tsup` first.');
const read = await loadedBy(['index.js', 'webhooks.js', 'undici.js', 'msw.js', 'bulk.js']);
for (const file of files.filter((name) => /\.c?js$/.test(name) && !read.has(name))) {
  const { code } = await transform(await readFile(`dist/${file}`, 'utf8'), {
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    target: ['node20', 'es2023'],
    legalComments: 'inline',
  });
  await writeFile(`dist/${file}`, code);
}

/** These files and all that they import. */
async function loadedBy(entries: readonly string[]): Promise<ReadonlySet<string>> {
  const loaded = new Set(entries);
  for (const file of loaded)
    for (const [, name = ''] of (await readFile(`dist/${file}`, 'utf8')).matchAll(
      /['"]\.\/([\w-]+\.js)['"]/g,
    ))
      loaded.add(name);
  return loaded;
}

/**
 * Compresses the files of the page. Zopfli writes gzip that is 3 % smaller than zlib's, and takes seconds, so it does not happen while
 * the server serves. Only the compressed files are kept: almost every client asks for them.
 */
for (const name of await readdir('dist/workbench')) {
  const path = `dist/workbench/${name}`;
  // esbuild writes the styles of a chunk a second time; main.css has all.
  if (name.endsWith('.css') && name !== 'main.css') {
    await rm(path);
    continue;
  }
  await writeFile(`${path}.gz`, await gzipAsync(await readFile(path), { numiterations: 15 }));
  await rm(path);
}
