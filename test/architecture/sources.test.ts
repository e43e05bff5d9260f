import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { repositoryFile } from '../repository.js';

/** The modules of a folder, by their paths from the repository's root, each without its lines of comment. */
function sourcesIn(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(repositoryFile(folder), { recursive: true, encoding: 'utf8' });
  const paths = names.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`);
  return new Map(paths.map((path) => [path, withoutComments(readFileSync(repositoryFile(path), 'utf8'))]));
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '');
}

// Jest, `vm` and browsers' frames have an `Error`, a `Headers` and a `Uint8Array` of their own, so an `instanceof` of a
// global class does not match an object of another realm. The package's own errors are recognized by their brand, and are imported.

/** The classes that a module asks for an instance of, and neither imports nor declares. */
function globalInstancesIn(code: string): readonly string[] {
  const asked = [...code.matchAll(/\binstanceof \(?([\w.]+)/g)].map(([, name = '']) => name);
  return asked.filter((name) => !new RegExp(`(import [^;]*|class )\\b${name.split('.')[0]}\\b`).test(code));
}

test('the sources ask for no instance of a global class', () => {
  const sources = [...sourcesIn('src')];
  const found = sources.flatMap(([path, code]) => globalInstancesIn(code).map((name) => `${path}: ${name}`));

  expect(sources.filter(([, code]) => code.includes('instanceof')).length).toBeGreaterThan(20);
  expect(found).toEqual([]);
});

/** The calls of users' hooks. A hook is what an exported `…Options` has under a name with `on`. */
function hookCallsIn(code: string): readonly string[] {
  const options = code.match(/^export interface \w*Options\b.*?^\}/gms) ?? [];
  const hooks = options.flatMap((each) => each.match(/(?<=\breadonly )on[A-Z]\w*/g) ?? []);
  const calls = code.match(/(notify\(\(\) => )?([\w#.?]+\.)?(?<!#)\bon[A-Z]\w*(\?\.)?\(/g) ?? [];
  return calls.filter((call) => hooks.includes(/on[A-Z]\w*(?=\W*$)/.exec(call)?.[0] ?? ''));
}

/** Whether `notify` stands around a call, so that what the hook throws or rejects with changes nothing. */
const isSafe = (call: string) => call.startsWith('notify(');

test('every hook of the client and the receivers is called by notify', () => {
  const code = ['src/client', 'src/webhooks'].flatMap((folder) => [...sourcesIn(folder).values()]);
  const calls = hookCallsIn(code.join('\n'));

  expect(calls.length).toBeGreaterThan(6);
  expect(calls.filter((call) => !isSafe(call))).toEqual([]);
});
