import { rm, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { rollup } from 'rollup';
import { publicEntries } from './public-entries.js';

/**
 * Joins the chunks of the library's ES modules. esbuild makes a chunk for each set of entries that shares code, and a program that
 * loads `.` waits longer for twenty small files than for what is in them. The entries of webhooks have a build of their own.
 */
const entries = [
  ...publicEntries.map(({ file }) => file).filter((file) => file !== 'webhooks'),
  'mcp',
  'connection-causes',
];
const fileOf = (entry: string) => resolve(`dist/${entry}.js`);

/** The chunks of the code that `.` loads, and the other entries that load the code of each, from the most shared to the least. */
const joined: readonly (readonly [chunk: string, sharedWith: readonly string[]])[] = [
  ['common', ['bulk', 'msw', 'undici', 'postgres']],
  ['contract', ['conformance', 'mcp']],
  ['client', ['index']],
];

const bundle = await rollup({
  input: entries.map(fileOf),
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  treeshake: false,
});
const before = bundle.watchFiles;
const { output } = await bundle.generate({
  format: 'es',
  hashCharacters: 'base36',
  entryFileNames: '[name].js',
  // The hash of esbuild goes, and that of the new content comes.
  chunkFileNames: ({ name }) => `${name.replace(/-[A-Z\d]{8}$/, '')}-[hash].js`,
  manualChunks(id, { getModuleInfo }) {
    const loadedBy = (entry: string, seen = new Set([fileOf(entry)])): ReadonlySet<string> => {
      for (const file of seen)
        for (const imported of getModuleInfo(file)?.importedIds ?? []) seen.add(imported);
      return seen;
    };
    if (id === fileOf('index') || !loadedBy('index').has(id)) return undefined;
    return joined.find(([, sharedWith]) => sharedWith.some((entry) => loadedBy(entry).has(id)))?.[0];
  },
});
await bundle.close();

for (const file of before) await rm(file);
for (const file of output)
  if (file.type === 'chunk') await writeFile(`dist/${basename(file.fileName)}`, file.code);
