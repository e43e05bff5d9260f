import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { isRelative, withLinks } from './links.js';

/** What matters here of `package.json`. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
}

const manifest: Manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** What `files` in `package.json` lists, and what npm always packs. */
const packaged = [...manifest.files, 'README.md', 'LICENSE', 'package.json'];

/** Where the files of the published package can be read, at this version. */
const published = `https://cdn.jsdelivr.net/npm/${manifest.name}@${manifest.version}`;

/** The README as a registry shows it, where a relative link leads nowhere: each link leads to the published file. */
export function readmeForRegistry(readme: string): string {
  return withPackagedLinks(readme, '.', (path) => `${published}/${path}`);
}

/** A page as it is in the package: the links to files that are only in the repository become text. */
export function pageForPackage(page: string, path: string): string {
  const folder = posix.dirname(path);
  return withPackagedLinks(page, folder, (target) => posix.relative(folder, target));
}

function withPackagedLinks(markdown: string, folder: string, link: (path: string) => string): string {
  return withLinks(markdown, (target) => {
    if (!isRelative(target)) return target;
    const [file = '', ...fragment] = target.split('#');
    const path = posix.join(folder, file);
    return isPackaged(path) ? [link(path), ...fragment].join('#') : undefined;
  });
}

function isPackaged(path: string): boolean {
  return packaged.some((entry) => path === entry || path.startsWith(`${entry}/`));
}
