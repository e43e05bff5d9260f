import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { withTables } from '../../scripts/ledger-tables.js';
import {
  deliveryRetries,
  deliveryTimeout,
  signatureHeader,
  webhookEventTypes,
} from '../../src/contract/delivery.js';
import { maxEventDepth } from '../../src/contract/event.js';
import { secretPrefix } from '../../src/contract/secret-prefix.js';
import { defaultSpecGaps } from '../../src/server/model/spec-gaps.js';
import { repositoryFile } from '../repository.js';
import { proofsIn, readLedger } from './ledger.js';
import { contractCases } from './suite.js';
import { testsIn } from './tests-in.js';

const ledger = readLedger();
const rowsUnder = (heading: string) => ledger.get(heading) ?? [];
const proofs = [...ledger.values()].flat().flatMap(proofsIn);
const notShown = 'What the document does not show';

describe('the contract ledger', () => {
  test('has a section for each of the document, and one for what that does not show', () => {
    const headings = [...ledger.keys()];
    expect(headings.map((heading) => heading.slice(0, 2)).slice(0, 9)).toEqual(
      Array.from({ length: 9 }, (_, index) => `§${index + 1}`),
    );
    expect(headings.slice(9)).toEqual([notShown, 'The table of operations', 'Errors', 'Values']);
    for (const [heading, rows] of ledger) expect(rows.length, heading).toBeGreaterThan(0);
  });

  test('gives each statement and each default a proof, or says why there is none', () => {
    for (const [heading, rows] of ledger) {
      if (!heading.startsWith('§') && heading !== notShown) continue;
      for (const row of rows) {
        const proved =
          proofsIn(row).length > 0 || /^(no test: |the cases of )\S/.test(row['Proved by'] ?? '');
        expect(proved, JSON.stringify(row)).toBe(true);
      }
    }
  });

  test('names only tests that there are', () => {
    const cases = new Set(contractCases.map(({ name }) => name));
    const missing = proofs.filter(({ file, name }) =>
      file ? !testsIn(file).includes(name) : !cases.has(name),
    );
    expect(missing).toEqual([]);
  });

  test('names every case of the contract suite', () => {
    const named = new Set(proofs.filter(({ file }) => !file).map(({ name }) => name));
    expect(contractCases.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([]);
  });

  test('names every gap once, beside a test of what it does', () => {
    const switched = rowsUnder(notShown).flatMap((row) =>
      [...(row.Gap ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({ name, row })),
    );
    expect(switched.map(({ name }) => name).sort()).toEqual(Object.keys(defaultSpecGaps).sort());
    for (const { name, row } of switched) {
      const ofGaps = proofsIn(row).filter(({ file }) => file?.startsWith('contract/gaps/'));
      expect(ofGaps.length, name).toBeGreaterThan(0);
    }
  });

  test('names every gap of the document and every tolerance that is tested', () => {
    const named = new Set(proofs.map(({ file, name }) => `${file} › ${name}`));
    const tested = ['gaps/responses', 'gaps/input', 'gaps/rules', 'gaps/deliveries', 'tolerance'].flatMap(
      (file) => testsIn(`contract/${file}`).map((name) => `contract/${file} › ${name}`),
    );
    expect(tested.filter((name) => !named.has(name))).toEqual([]);
  });

  test('states the operations and the errors as the code has them', () => {
    const text = readFileSync(repositoryFile('docs/contract.md'), 'utf8');
    expect(withTables(text)).toBe(text);
  });

  test('states the values as the code has them', () => {
    expect(rowsUnder('Values').map((row) => [row.Name, row.Value])).toEqual([
      ['`deliveryTimeout`', `${deliveryTimeout} ms`],
      ['`deliveryRetries`', String(deliveryRetries)],
      ['`signatureHeader`', signatureHeader],
      ['`secretPrefix`', secretPrefix],
      ['`maxEventDepth`', String(maxEventDepth)],
      ['`webhookEventTypes`', webhookEventTypes.join(', ')],
    ]);
  });
});

test('the contract suite follows the order of the document, and names no case twice', () => {
  const names = contractCases.map(({ name }) => name);
  const sections = names.map((name) => Number(/^§(\d) /.exec(name)?.[1]));
  expect(sections).toEqual([...sections].sort());
  expect(new Set(names).size).toBe(names.length);
});
