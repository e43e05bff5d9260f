import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import { type GlobalInstance, globalInstancesIn } from './global-instances.js';

const written = ({ file, of }: GlobalInstance) => `${file}: instanceof ${of}`;

test('the sources ask for no instance of a global class', async () => {
  const found = await globalInstancesIn(repositoryFile('.'));

  expect(found.map(written)).toEqual([]);
});

test('an instance of a global class is noticed by its name, through globalThis and in parentheses, and nothing else is', async () => {
  await mkdir(repositoryFile('.cache'), { recursive: true });
  const folder = await mkdtemp(repositoryFile('.cache/instances-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'src/client'), { recursive: true });
  const write = (name: string, lines: readonly string[]) =>
    writeFile(join(folder, 'src/client', name), lines.join('\n'));
  await write('breach.ts', [
    '// A file of its own, which imports nothing.',
    'export const isError = (value: unknown) => value instanceof Error;',
    'export const isDate = (value: unknown) => value instanceof globalThis.Date;',
    'export const isBytes = (value: unknown) => value instanceof (Uint8Array);',
  ]);
  await write('innocent.ts', [
    "import * as z from 'zod/mini';",
    "import { RequestError as Failed } from './request-error.js';",
    'class Own {}',
    '// value instanceof Error',
    "export const words = 'value instanceof Error';",
    'export const isOwn = (value: unknown) => value instanceof Own || value instanceof Failed;',
    'export const isArray = (value: unknown) => value instanceof z.ZodMiniArray;',
  ]);

  expect(await globalInstancesIn(folder)).toEqual([
    { file: 'src/client/breach.ts', line: 2, of: 'Error' },
    { file: 'src/client/breach.ts', line: 3, of: 'globalThis.Date' },
    { file: 'src/client/breach.ts', line: 4, of: '(Uint8Array)' },
  ]);
});
