import { readdir, readFile, writeFile } from 'node:fs/promises';

/**
 * Has the types of each ES module lead to those of its CommonJS twin, so that they are there once. Types that name another package
 * are copied, because that package may have other types for ES modules.
 */
const entries = (await readdir('dist')).filter((name) => /^[a-z]+\.d\.cts$/.test(name));
if (entries.length === 0) throw new Error('dist/ has no types; run `tsup` first.');
for (const entry of entries) {
  const text = await readFile(`dist/${entry}`, 'utf8');
  const isOfOthers = /^(?:import|export)\b.*\bfrom ['"][^.'"]/m.test(text);
  const name = entry.replace('.d.cts', '');
  await writeFile(`dist/${name}.d.ts`, isOfOthers ? text : `export * from './${name}.cjs';\n`);
}
