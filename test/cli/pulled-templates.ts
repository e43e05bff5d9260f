import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { repositoryFile } from '../repository.js';
import { serveRequests } from './http-servers.js';
import { runAt, serve, temporaryFile } from './served.js';

export const orderUpdate = { id: 'order_update', body: 'Hello {{1}}, your order {{2}} is on its way.' };
export const welcome = { id: 'welcome_2', body: 'Welcome!' };

/** A reference server with these templates. */
export async function serveTemplates(...templates: readonly object[]) {
  return serve('--seed', await temporaryFile('seed.json', JSON.stringify({ templates })));
}

/** A server that responds to every request with this, or with what this makes of its URL. It needs no control surface. */
export function serveList(received: unknown): Promise<string> {
  return serveRequests(({ url }, response) => {
    const body: unknown = typeof received === 'function' ? received(url) : received;
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
}

/** A file that is not there yet, where TypeScript finds the package. */
export async function newFile(): Promise<string> {
  await mkdir(repositoryFile('.cache'), { recursive: true });
  const folder = await mkdtemp(repositoryFile('.cache/pulled-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'templates.ts');
}

/** The file with the names of the templates in a pulled file. */
export const namesOf = (file: string) => file.replace(/ts$/, 'names.json');

/** Pulls, and reads what that wrote. */
export async function pull(url: string, file: string, ...words: readonly string[]) {
  const result = await runAt(url, 'templates', 'pull', '--out', file, ...words);
  const [source, names] = await Promise.all(
    [file, namesOf(file)].map((path) => readFile(path, 'utf8').catch(() => undefined)),
  );
  return { ...result, source, names };
}

/** Names the templates of a pulled file, as a person does. */
export async function rename(file: string, ...names: readonly (readonly [string, string])[]): Promise<void> {
  let content = await readFile(namesOf(file), 'utf8');
  for (const [before, after] of names) {
    if (!content.includes(before)) throw new Error(`${before} is not there: ${content}`);
    content = content.replace(before, after);
  }
  await writeFile(namesOf(file), content);
}

/** Texts that must stay texts in a source file. */
export const hostile = [
  "'], }, }); throw new Error('out'); //",
  '*/ throw 1; /*',
  '__proto__',
  'constructor',
  'class',
  '1e3',
  '',
  '\\',
  "\\'",
  `\${process.exit(3)}\``,
  'line\nthrow 1;\r\nthrow 2;\rthrow 3;',
  '\u2028throw 4;\u2029throw 5;',
  '\u202eesrever\u2066',
  '\ud800 half',
  '\u0000\u001b[2J',
  '@ts-expect-error',
  '\ufeff',
  '😀 größe',
  '>',
  '// > ',
  '</script>',
];
