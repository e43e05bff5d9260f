import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { controlOperationList, openControlOperations } from '../../src/server/subjects/control-operations.js';
import { repositoryFile } from '../repository.js';

/** Where the operations are. Everything else asks for an operation of the table. */
const subjects = 'src/server/subjects/';

const sources: readonly (readonly [path: string, code: string])[] = readdirSync(repositoryFile('src'), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => [`src/${name}`, readFileSync(repositoryFile(`src/${name}`), 'utf8')]);

/** The paths of the control surface that a module writes, besides its comments and the names of the files that it imports. */
function pathsIn(code: string): readonly string[] {
  const own = code
    .replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '')
    .replaceAll(/\b(from|import\() ?'[^']*'/g, '')
    .replaceAll(/\$\{[^}]*\}/g, 'value');
  return own.match(/\/control(?=[/'"`?])[\w/:.-]*|(?<=['"`])control\/[\w/:.-]+/g) ?? [];
}

test('a path of the control surface stands only with its operation', () => {
  const found = sources
    .filter(([path]) => !path.startsWith(subjects))
    .flatMap(([path, code]) => pathsIn(code).map((written) => `${path}: ${written}`));

  expect(found).toEqual([]);
});

test.each([
  ["surface.ask('GET', '/control/clock')", '/control/clock'],
  [`fetch(\`\${url}/control/faults/\${id}\`)`, '/control/faults/value'],
  ["curl(ready, 'control/inbound-messages')", 'control/inbound-messages'],
  ['<small>Add one with PUT /control/segments.</small>', '/control/segments.'],
  ["path === '/control'", '/control'],
])('%s is noticed', (code, path) => {
  expect(pathsIn(code)).toEqual([path]);
});

test.each([
  "import { controlDocument } from './http/control/openapi.js';",
  "await import('./http/control/control-routes.js')",
  ' * Loaded with the first request under /control/.',
])('%s is no path', (code) => {
  expect(pathsIn(code)).toEqual([]);
});

test('what a subject says to send, such as a remedy or a curl command, is an operation of the table', () => {
  const templates = controlOperationList.map(
    ({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
  );
  const written = sources.filter(([path]) => path.startsWith(subjects)).flatMap(([, code]) => pathsIn(code));

  expect(written.length).toBeGreaterThan(controlOperationList.length);
  expect(written.filter((path) => !templates.some((template) => template.test(path)))).toEqual([]);
});

test('every operation has a rule or a stream, besides those that describe the surface', () => {
  const without = controlOperationList.filter(
    ({ rule, stream }) => (rule === undefined) === (stream === undefined),
  );

  expect(new Set(without.map(({ name }) => name))).toEqual(openControlOperations);
});
