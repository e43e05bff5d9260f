import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { run } from './commands.js';
import { testProject } from './project.js';

/** What the program that holds every copy prints: lists of error classes, by the name of an error. */
interface Report {
  readonly recognised: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly ancestry: Readonly<Record<string, readonly string[]>>;
  readonly handled: Readonly<Record<string, readonly string[]>>;
  readonly classes: readonly {
    readonly copy: string;
    readonly distinct: boolean;
    readonly className: string;
    readonly names: readonly (readonly [string, string])[];
  }[];
}

const copies = ['esm', 'cjs', 'minified esm', 'minified cjs'];
const pairs = copies.flatMap((from) => copies.map((by) => `${from} by ${by}`));

const project = testProject();
let report: Report;

beforeAll(async () => {
  const installed = project();
  const { folder } = installed;
  await installed.add('errors-of-app.mjs');
  await installed.add('recognition.mjs');
  for (const [format, outfile] of [
    ['esm', 'app.min.mjs'],
    ['cjs', 'app.min.cjs'],
  ] as const) {
    await build({
      entryPoints: [join(folder, 'errors-of-app.mjs')],
      outfile: join(folder, outfile),
      format,
      bundle: true,
      minify: true,
      keepNames: false,
      platform: 'neutral',
    });
  }
  report = JSON.parse(await run(folder, 'node', 'recognition.mjs'));
});

describe('ES modules, CommonJS and two minified bundles in one process', () => {
  test('are four copies, and minifying mangled the classes', () => {
    expect(report.classes.map(({ copy, distinct }) => [copy, distinct])).toEqual(
      copies.map((copy) => [copy, true]),
    );
    for (const { copy, className } of report.classes)
      expect(className === 'NotFoundError').toBe(!copy.startsWith('minified'));
  });

  test('export the same errors, each with its literal name', () => {
    for (const { names } of report.classes) {
      expect(names.map(([exported]) => exported).sort()).toEqual(Object.keys(report.ancestry).sort());
      for (const [exported, name] of names) expect(name).toBe(exported);
    }
    expect(report.ancestry).toMatchObject({
      NotFoundError: expect.arrayContaining(['ApiError', 'RequestError', 'MessagingAutomationError']),
      QuotaExceededError: expect.not.arrayContaining(['NotFoundError']),
      WebhookVerificationError: expect.not.arrayContaining(['RequestError']),
    });
  });

  // Every error of one copy against every class of another: what it is there, no less and no more.
  test.each(pairs)('errors of %s', (pair) => {
    const found = Object.entries(report.recognised[pair] ?? {});

    expect(found).toHaveLength(Object.keys(report.ancestry).length);
    for (const [name, recognised] of found)
      expect([name, [...recognised].sort()]).toEqual([name, [...(report.ancestry[name] ?? [])].sort()]);
  });

  test.each(pairs)('an application handles what is thrown: %s', (pair) => {
    expect(report.handled[pair]).toEqual(['create the contact first', 'respond with 400', 'not ours']);
  });
});
