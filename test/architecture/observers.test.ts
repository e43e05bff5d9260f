import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryFile } from '../repository.js';
import { hookCallsIn } from './observers.js';

const folders = ['client', 'webhooks'];

test('every hook of the client and the receivers is called by notify', async () => {
  const calls = await hookCallsIn(repositoryFile('src'), folders);

  expect(calls.length).toBeGreaterThan(6);
  expect(calls.filter(({ isSafe }) => !isSafe)).toEqual([]);
});

test('a hook that is called without it is noticed', async () => {
  await mkdir(repositoryFile('.cache'), { recursive: true });
  const root = await mkdtemp(repositoryFile('.cache/observers-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(join(root, 'client'));
  await writeFile(
    join(root, 'client/breach.ts'),
    `export interface PlantedOptions { readonly onPlanted?: () => unknown }
     export function safe({ onPlanted }: PlantedOptions) { notify(() => onPlanted?.()); }
     export function breach(options: PlantedOptions) { try { options.onPlanted?.(); } catch {} }`,
  );

  expect(await hookCallsIn(root, ['client'])).toEqual([
    { file: 'breach.ts', hook: 'onPlanted', isSafe: true },
    { file: 'breach.ts', hook: 'onPlanted', isSafe: false },
  ]);
});
