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

/** What runs on Node.js alone, and needs to look for nothing. */
const ofNode = /^src\/(bulk|cli|conformance|files|mcp|postgres|workbench)\//;

/** How a source asks whether the runtime has something, other than by `probe` and `attempt`, which survive what throws. */
function bareProbesIn(code: string): readonly string[] {
  const forms = [
    /typeof (?:globalThis\.)?[A-Z]\w*(?:\.\w+)* [!=]==/g,
    /\bin globalThis\b/g,
    /(?<!attempt\(\(\) => )'\w+' in [A-Z]\w*/g,
    /Reflect\.\w+\(globalThis/g,
    /\bObject\(globalThis/g,
    /\bglobalThis(?:\.\w+)*\?\./g,
    /(?<![.\w'#])(?:globalThis\.)?(?:process|navigator|Deno|Bun)\b\??\./g,
    /\b(?:getBuiltinModule|emitWarning)\b(?!')/g,
  ];
  return forms.flatMap((form) => code.match(form) ?? []);
}

test('what a runtime may lack, or have as something that throws, is looked for by probe or attempt alone', () => {
  const sources = [...sourcesIn('src')].filter(([path]) => !ofNode.test(path));
  const found = sources.flatMap(([path, code]) => bareProbesIn(code).map((probe) => `${path}: ${probe}`));

  expect(found).toEqual([]);
});

test.each([
  "if (typeof TextDecoder === 'undefined') return",
  "return 'Deno' in globalThis ? new Blob([body]) : body;",
  "return typeof Request === 'function' && 'cache' in Request.prototype;",
  'const subtle = globalThis.crypto?.subtle;',
  "const runtime: unknown = Reflect.get(globalThis, 'process');",
  'const { expect } = Object(globalThis);',
  'return process.env.NAME;',
  "builtin.getBuiltinModule('node:crypto');",
])('a source that asks without them is found: %s', (line) => {
  expect(bareProbesIn(line)).not.toEqual([]);
});
