import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Backend, OwnBackend } from './backends.js';
import { observe } from './happenings.js';
import { promisesInTurn } from './in-turn.js';
import { observeInTurn } from './in-turn-happenings.js';
import { promises, type StoreName } from './promises.js';

/** What happens without taking a server or a process away. */
const isQuick = (happens: string) => !/^the (store|connection|process is killed)/.test(happens);

/** Tries with a store what is promised for it, alone and with a duplicate: the quick part, or the rest. */
export function keepsItsPromises(
  name: StoreName,
  tier: 'quick' | 'rest',
  backendFor: (scope: string) => Backend,
) {
  const cells = promises.filter(
    ({ happens, stores }) => stores.includes(name) && isQuick(happens) === (tier === 'quick'),
  );
  for (const { happens, scope, responses, runs, duplicate } of cells) {
    describe(`with the store ${name}, if ${happens}`, () => {
      test.each([
        ['alone', false, { responses, runs, duplicate: undefined }],
        ['and a duplicate comes', true, { responses, runs: duplicate.runs, duplicate: duplicate.response }],
      ])('%s', async (_, isDuplicated, expected) => {
        // The stores warn of what the clients lose.
        const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
        expect(await observe(happens, name, backendFor(scope), isDuplicated)).toEqual(expected);
        emitWarning.mockRestore();
      });
    });
  }
}

/** Tries with a store what is promised for messages of one contact that run in turn: the quick part, or the rest. */
export function keepsTurns(name: StoreName, tier: 'quick' | 'rest', backendFor: (scope: string) => Backend) {
  const cells = promisesInTurn.filter(
    ({ happens, stores }) => stores.includes(name) && isQuick(happens) === (tier === 'quick'),
  );
  test.each(cells)(
    `in turn, with the store ${name}, if $happens`,
    async ({ happens, scope, first, second, runs }) => {
      const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
      expect(await observeInTurn(happens, name, backendFor(scope))).toEqual({ first, second, runs });
      emitWarning.mockRestore();
    },
  );
}

/** Starts a backend before the tests of its block, and stops it after them. */
export function useBackend(start: () => Promise<OwnBackend>): () => OwnBackend {
  let backend: OwnBackend | undefined;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend?.server.stop());
  return () => {
    if (backend === undefined) throw new Error('The server is not up yet: ask for it in a test.');
    return backend;
  };
}
