import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { NumberedEntry, ReferenceServer } from 'messaging-automation/server';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programOf } from '../../documentation/compiler.js';
import { runTestFiles } from '../../documentation/run-test-files.js';
import { repositoryFile } from '../../repository.js';
import { askWith } from '../support/reference.js';
import { startWithEveryEntry } from './every-entry.js';

/** A folder inside the repository, where the package and Vitest resolve. */
let folder: string;
beforeAll(async () => {
  await mkdir(repositoryFile('.cache'), { recursive: true });
  folder = await mkdtemp(repositoryFile('.cache/inspection-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function writeCopies(server: ReferenceServer): Promise<readonly string[]> {
  const { body: seed } = await askWith(server)('GET', '/../control/seed');
  await writeFile(join(folder, 'seed.json'), JSON.stringify(seed));
  const count = (await server.journal.entries()).length;
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { entry, copies } = await server.journal.inspect(index + 1);
      const path = join(folder, `${index + 1}-${nameOf(entry)}.ts`);
      await writeFile(path, copies.test);
      await writeFile(codeBeside(path), copies.code + serverInScope);
      return path;
    }),
  );
}

/** What the code of a reader has beside it. */
const serverInScope = "\ndeclare const server: import('messaging-automation/server').ReferenceServer;\n";

const codeBeside = (path: string) => path.replace(/ts$/, 'code.ts');

function nameOf(entry: NumberedEntry): string {
  return entry.type === 'request' ? `request-${entry.operation}-${entry.status ?? 'none'}` : entry.type;
}

test('the code and the tests of all entries compile, and the tests run with the seed, and pass', {
  timeout: 300_000,
}, async () => {
  const server = await startWithEveryEntry();
  const paths = await writeCopies(server);
  const types = new Set((await server.journal.entries()).map(({ type }) => type));
  expect(types).toEqual(new Set(['request', 'message', 'attempt', 'event', 'send', 'journey', 'fault']));

  // A request that was refused for the type of a field does not compile.
  const code = paths.filter((path) => !path.endsWith('-400.ts')).map(codeBeside);
  expect(mistakesIn([...paths, ...code])).toEqual([]);

  const { status, printed } = runTestFiles('vitest', paths);
  expect(status, printed).toBe(0);

  // They assert: none of this happens in an empty workspace.
  await writeFile(join(folder, 'seed.json'), '{}');
  const failing = paths.filter((path) =>
    /-(send|attempt|journey|request-transactional.send-200)\.ts$/.test(path),
  );
  const withoutSeed = stripVTControlCharacters(runTestFiles('vitest', failing).printed);
  for (const path of failing) expect(withoutSeed).toMatch(new RegExp(`FAIL +\\S*/${basename(path)} `));
});

function mistakesIn(paths: readonly string[]): readonly string[] {
  const program = programOf(paths);
  return paths.flatMap((path) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(path))
      .map(({ messageText }) => `${basename(path)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`),
  );
}
