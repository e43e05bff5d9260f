import { aString, aText, checkOptions } from '../../foundation/options.js';
import { attempt, probe } from '../../foundation/runtime.js';
import { sha256 } from '../../webhooks/crypto/digests.js';
import type { ReferenceWorkspace, Workspace } from '../subjects/reference-workspace.js';

/** Options of {@link keepOnFailure}. */
export interface KeepOnFailureOptions {
  /** The name of the test. Default: the one that Jest, `node:test` or Vitest tells. */
  readonly name?: string | undefined;
  /** The folder for the files of failed tests. Default: `test-results/messaging-automation`, in the current directory. */
  readonly directory?: string | undefined;
}

/** A test, as its runner tells it. The place tells tests with the same name apart: the file of the test, or its id. */
type RunningTest = Readonly<Record<'name' | 'place', string>>;

/** Returns the state at this moment, with that many of the latest journal entries. */
type Moment = (entries: number) => Promise<object>;

const mostFiles = 50;

/** How the name of a file of a failed test ends. `serve --state` never creates such a file. */
export const endOfFailedTest = '.failed.json';

/** The paths of the files of this process. */
const kept = new Set<string>();

/**
 * Wraps the body of a test. If it fails, the state and the journal of a workspace or server are kept in a file, which the message of
 * the error names. `serve --state FILE` shows them in the workbench, as they were. A test that passes leaves no file.
 *
 * The file contains signing secrets and phone numbers of the test, and no API keys. Each process keeps at most 50 files of up to 5 MiB.
 * Where there is no room, the oldest entries of the journal are left out. The fixtures of `messaging-automation/vitest` do the same by
 * themselves.
 *
 * @param world The workspace or the server, or a function that returns it, for one that is created later. A server includes all its workspaces.
 * @param body The body of the test. It gets the arguments of the test, and its error is rethrown.
 * @param options The name of the test and the folder of the file.
 * @throws ConfigurationError if an option is invalid.
 *
 * @example
 * ```ts vitest
 * import { afterAll, expect, test } from 'vitest';
 * import { createReferenceServer, keepOnFailure } from 'messaging-automation/server';
 *
 * const server = createReferenceServer({ clock: 'frozen' });
 * afterAll(() => server.close());
 *
 * test(
 *   'creates a contact',
 *   keepOnFailure(server, async () => {
 *     const { properties } = await server.client.contacts.upsert({ phone: '+15551234567' });
 *     expect(properties.phone).toBe('+15551234567');
 *   }),
 * );
 * ```
 */
export function keepOnFailure<Arguments extends readonly unknown[], Result, W extends Workspace = Workspace>(
  world: ReferenceWorkspace<W> | (() => ReferenceWorkspace<W>),
  body: (...args: Arguments) => Result | Promise<Result>,
  options: KeepOnFailureOptions = {},
): (...args: Arguments) => Promise<Result> {
  checkOptions('keepOnFailure', options, { name: aString, directory: aText });
  const { name, directory } = options;
  return async (...args) => {
    // Jest tells it at the start, because later another test may run.
    const test = runningTest(args[0]);
    try {
      return await body(...args);
    } catch (error) {
      const moment: Moment = (entries) => (typeof world === 'function' ? world() : world).moment(entries);
      await keepFailure(moment, error, { ...test, name: String(name ?? test.name) }, directory);
      throw error;
    }
  };
}

/** Keeps a state in a file, and adds to the error how to open it, or why there is no file. Never rejects. */
export async function keepFailure(
  moment: Moment,
  error: unknown,
  { name, place }: RunningTest,
  directory = 'test-results/messaging-automation',
): Promise<void> {
  if (kept.size > mostFiles) return;
  const words = (name.match(/[a-z0-9]+/gi) ?? ['test']).join('-').slice(0, 60);
  const start = `${directory}/${words}-${sha256(`${place}\n${name}`).slice(0, 8)}`;
  let path = `${start}${endOfFailedTest}`;
  for (let number = 2; kept.has(path); number += 1) path = `${start}-${number}${endOfFailedTest}`;
  kept.add(path);
  try {
    if (kept.size > mostFiles) throw new Error(`Only the first ${mostFiles} failed tests are.`);
    const text = await textOf(moment, name, messageOf(error));
    // Loaded on demand, because not every runtime of a server has files.
    const { createFolderOf, replaceFile } = await import('../../files/write-file.js');
    await createFolderOf(path);
    await replaceFile(path, text, 0o600);
    const word = /^[\w./\\:-]+$/.test(path) ? path : JSON.stringify(path);
    addTo(
      error,
      `See what happened in this test:\n  npx messaging-automation serve --port 0 --state ${word}`,
    );
  } catch (failure) {
    addTo(error, `What happened in this test is not in a file. ${Reflect.get(Object(failure), 'message')}`);
  }
}

/** The state as JSON, with as many of the latest journal entries as there is room for. */
async function textOf(moment: Moment, name: string, message: string): Promise<string> {
  const test = { failedTest: name.slice(0, 1_000), failedTestError: message.slice(0, 4_000) };
  for (let entries = 10_000; ; entries = Math.floor(entries / 2)) {
    const text = JSON.stringify({ ...test, ...(await moment(entries)) });
    if (Buffer.byteLength(text) < 5 * 1024 * 1024) return `${text}\n`;
    if (entries === 1) throw new Error('It takes more than 5 MiB, even without its journal.');
  }
}

/** The message of an error without the colours that an assertion of Jest has in a terminal. */
function messageOf(error: unknown): string {
  const message: unknown = attempt(() => Reflect.get(Object(error), 'message'));
  const beginning = String.fromCharCode(27);
  return (typeof message === 'string' ? message : '').replaceAll(
    new RegExp(`${beginning}\\[[\\d;]*m`, 'g'),
    '',
  );
}

/** Adds a note to an error, or prints it if the error cannot take it. */
function addTo(error: unknown, note: string): void {
  try {
    const told: { message?: unknown; stack?: unknown; generatedMessage?: unknown } = Object(error);
    const { message, stack } = told;
    if (typeof message !== 'string') throw error;
    const longer = `${message}\n\n${note}`;
    told.message = longer;
    // Some runners print the stack, which contains the message.
    if (typeof stack === 'string') told.stack = stack.replace(message, () => longer);
    // Jest prints the message of an assertion of Node only if it was not generated.
    if (told.generatedMessage === true) told.generatedMessage = false;
  } catch {
    // biome-ignore lint/suspicious/noConsole: there is no other place to say it
    console.error(note);
  }
}

/** The running test, as Vitest and `node:test` pass it to its body, or as Jest tells it by `expect`. */
function runningTest(context: unknown): RunningTest {
  const expect: { getState?: () => object } = Object(probe('expect'));
  const { currentTestName, testPath }: Readonly<Record<string, unknown>> = Object(
    attempt(() => expect.getState?.()),
  );
  const { fullName, filePath, task }: Readonly<Record<string, unknown>> = Object(context);
  const { name, fullTestName, id }: Readonly<Record<string, unknown>> = Object(task);
  const isText = (value: unknown) => typeof value === 'string';
  return {
    name: [fullTestName, name, currentTestName, fullName].find(isText) ?? 'test',
    place: [id, testPath, filePath, probe('process', 'argv', '1')].find(isText) ?? '',
  };
}
