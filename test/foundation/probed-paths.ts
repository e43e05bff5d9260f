import { readdirSync, readFileSync } from 'node:fs';
import { repositoryFile } from '../repository.js';

/** What the sources look for in a runtime, as paths from `globalThis`: what they give to `probe`, and what they attempt to create. */
export function probedPaths(): readonly string[] {
  const files = readdirSync(repositoryFile('src'), { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => probesIn(readFileSync(repositoryFile(`src/${file}`), 'utf8')));
  const paths = [...new Set(found)].filter((path) => path !== neededByReceivers).sort();
  // `process` as a whole would hide that its members throw.
  return paths.filter((path) => path.includes('.') || !paths.some((other) => other.startsWith(`${path}.`)));
}

/** The client does without it, as in jsdom; a receiver cannot. */
const neededByReceivers = 'TextDecoder';

function probesIn(source: string): readonly string[] {
  const code = source.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '');
  const probed = [...code.matchAll(/\bprobe\(((?:'\w+'(?:, )?)+)/g)].map(([, names = '']) =>
    [...names.matchAll(/\w+/g)].join('.'),
  );
  const created = [...code.matchAll(/\battempt\(\(\) => new (?:globalThis\.)?(\w+)/g)].map(
    ([, name = '']) => name,
  );
  return [...probed, ...created];
}
