import { readdir, readFile, writeFile } from 'node:fs/promises';

/**
 * Completes the declarations that the bundler wrote: a file for each entry, and chunks for what entries share.
 *
 * - The types of each ES module lead to those of its CommonJS twin, so that they are there once. Types that name another package are
 *   copied, because that package may have other types for ES modules.
 * - An entry loads the other entries that export what its chunks contain. Otherwise a compiler cannot name those types in the
 *   declarations of a program that imports this entry alone.
 */
const entryName = /^([a-z]+)\.d\.cts$/;
const texts = new Map<string, string>();
for (const file of await readdir('dist'))
  if (file.endsWith('.d.cts')) texts.set(file, await readFile(`dist/${file}`, 'utf8'));
const entries = [...texts.keys()].filter((file) => entryName.test(file));
if (entries.length === 0) throw new Error('dist/ has no types; run `tsup` first.');

for (const entry of entries) {
  const text = textOf(entry);
  const name = entry.replace(entryName, '$1');
  const others = othersThatName(entry).map((other) => other.replace(entryName, '$1'));
  const loads = (extension: string) => others.map((other) => `import './${other}.${extension}';\n`).join('');
  await writeFile(`dist/${entry}`, loads('cjs') + text);
  const twin = isOfOthers(text) ? text : `export * from './${name}.cjs';\n`;
  await writeFile(`dist/${name}.d.ts`, loads('js') + twin);
}

function textOf(file: string): string {
  return texts.get(file) ?? '';
}

function isOfOthers(text: string): boolean {
  return /^(?:import|export)\b.*\bfrom ['"][^.'"]/m.test(text);
}

/** The other entries, as few as possible, that export the types of the entry's chunks that the entry itself does not export. */
function othersThatName(entry: string): readonly string[] {
  const own = new Set(exportsOf(entry).map(({ exported }) => exported));
  const names = chunksOf(entry).flatMap((chunk) => exportsOf(chunk).map(({ local }) => local));
  const missing = new Set(names.filter((name) => !own.has(name)));
  const others = entries
    .filter((other) => other !== entry && !isOfOthers(textOf(other))) // a peer may not be installed
    .map((other) => ({ other, exported: exportsOf(other).map(({ exported }) => exported) }))
    .sort((one, another) => another.exported.length - one.exported.length);
  return others.flatMap(({ other, exported }) =>
    exported.filter((name) => missing.delete(name)).length > 0 ? [other] : [],
  );
}

/** The chunks that a file imports, with those that they import. */
function chunksOf(file: string, found: Set<string> = new Set()): string[] {
  for (const [, name] of textOf(file).matchAll(/^(?:import|export) .* from '\.\/(.+)\.cjs';$/gm)) {
    const chunk = `${name}.d.cts`;
    if (found.has(chunk)) continue;
    found.add(chunk);
    chunksOf(chunk, found);
  }
  return [...found];
}

/** The names in the `export { local as exported }` of a file. */
function exportsOf(file: string): { readonly local: string; readonly exported: string }[] {
  return [...textOf(file).matchAll(/^export (?:type )?\{(.*)\}/gm)]
    .flatMap(([, list = '']) => list.split(','))
    .map((item) =>
      item
        .trim()
        .replace(/^type /, '')
        .split(' as '),
    )
    .map(([local = '', exported = local]) => ({ local: local.replace(/\$\d+$/, ''), exported }));
}
