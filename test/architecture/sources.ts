import { readdirSync, readFileSync } from 'node:fs';
import { repositoryFile } from '../repository.js';

/** The modules of a folder, by their paths from the repository's root, each without its lines of comment. */
export function sourcesIn(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(repositoryFile(folder), { recursive: true, encoding: 'utf8' });
  const paths = names.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`);
  return new Map(paths.map((path) => [path, withoutComments(readFileSync(repositoryFile(path), 'utf8'))]));
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '');
}
