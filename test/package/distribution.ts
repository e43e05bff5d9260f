import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
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

/** What a module imports when it loads; an `import()` is for later and does not count. */
export function staticImports(text: string): readonly string[] {
  return [...text.matchAll(/^(?:import|export)\b[^'"]*["']([^"']+)["'];?$/gm)].map(([, name = '']) => name);
}

/** A module of `dist/` with all that loads along with it, and what that imports from outside. */
export function loadedWith(entry: string): {
  readonly files: ReadonlySet<string>;
  readonly outside: readonly string[];
} {
  const files = new Set([entry]);
  const outside: string[] = [];
  for (const file of files) {
    for (const name of staticImports(distributionText(file))) {
      if (name.startsWith('.')) files.add(normalize(join(dirname(file), name)));
      else outside.push(name);
    }
  }
  return { files, outside };
}

/** The packages whose code a file of `dist/` holds, from the comments that the bundler leaves above each module. */
export function packagesIn(file: string): ReadonlySet<string> {
  const comments = distributionText(file).matchAll(/^\s*\/\/ node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm);
  return new Set([...comments].map(([, name = '']) => name));
}
