import { readFileSync } from 'node:fs';

/** An import path of the package that has types. */
export interface PublicEntry {
  /** The name of its files in `dist/`: `index` for the package itself, `webhooks` for `./webhooks`. */
  readonly file: string;
  /** How a program imports it, as in `messaging-automation/webhooks`. */
  readonly importPath: string;
  /** Relative to the repository, as in `src/webhooks/index.ts`. */
  readonly source: string;
}

const manifest: { readonly name: string; readonly exports: Readonly<Record<string, unknown>> } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** The import paths with types, in the order of `exports` in `package.json`, which is the only list of them. */
export const publicEntries: readonly PublicEntry[] = Object.entries(manifest.exports)
  .filter(([, target]) => typeof target === 'object')
  .map(([subpath]) => {
    const folder = subpath.slice('./'.length);
    return folder === ''
      ? { file: 'index', importPath: manifest.name, source: 'src/index.ts' }
      : { file: folder, importPath: `${manifest.name}/${folder}`, source: `src/${folder}/index.ts` };
  });
