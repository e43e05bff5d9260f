import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { repositoryFile } from '../repository.js';

/** The files of `dist/` whose names end so. */
export function distributionFiles(...endings: readonly string[]): readonly string[] {
  return readdirSync(repositoryFile('dist')).filter((name) =>
    endings.some((ending) => name.endsWith(ending)),
  );
}

/** The text of a file of `dist/`. */
export function distributionText(name: string): string {
  return readFileSync(repositoryFile(`dist/${name}`), 'utf8');
}

/** What the bundler recorded of one of its outputs. */
interface Output {
  readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
}

/** The outputs of the last build, by their names in `dist/`. */
const outputs: ReadonlyMap<string, Output> = new Map(
  readdirSync(repositoryFile('.cache/bundle')).flatMap((record) => {
    const metafile: { readonly outputs: Readonly<Record<string, Output>> } = JSON.parse(
      readFileSync(repositoryFile(`.cache/bundle/${record}`), 'utf8'),
    );
    return Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]);
  }),
);

function outputOf(file: string): Output {
  const output = outputs.get(file);
  if (output === undefined) throw new Error(`dist/${file} is not of the last build. Run \`npm run build\`.`);
  return output;
}

/** A module of `dist/` with all that loads along with it, and what that imports from outside. An `import()` is for later. */
export function loadedWith(entry: string): {
  readonly files: ReadonlySet<string>;
  readonly outside: readonly string[];
} {
  const files = new Set([entry]);
  const outside: string[] = [];
  for (const file of files) {
    for (const { path, kind, external = false } of outputOf(file).imports) {
      if (kind !== 'import-statement' && kind !== 'require-call') continue;
      if (external && !path.startsWith('.')) outside.push(path);
      else files.add(basename(path));
    }
  }
  return { files, outside };
}

/** All that the last build wrote into `dist/`. */
export const builtFiles: readonly string[] = [...outputs.keys()];

/** The modules whose code a file of `dist/` holds: our own from `src/`, others from `node_modules/`. */
export function modulesIn(file: string): readonly string[] {
  const { inputs } = outputOf(file);
  return Object.keys(inputs).filter((path) => Number(inputs[path]?.bytesInOutput) > 0);
}

/** The packages whose code a file of `dist/` holds. */
export function packagesIn(file: string): ReadonlySet<string> {
  const names = modulesIn(file).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return new Set(names.filter((name) => name !== undefined));
}
