import { readFileSync } from 'node:fs';
import {
  type ConformanceOptions,
  type ConformanceReport,
  checkConformance,
} from 'messaging-automation/conformance';
import { beforeAll, describe, expect, test } from 'vitest';
import { statements } from '../../src/contract/statements.js';
import { contractCases } from '../contract/suite.js';
import { repositoryFile } from '../repository.js';
import { belongingsOf, notHeld } from './matrices.js';
import { deploy } from './support/deployment.js';

describe('asked for everything', () => {
  let report: ConformanceReport;
  let left: unknown;

  beforeAll(async () => {
    await using deployment = await deploy();
    report = await checkConformance(deployment.options);
    left = await belongingsOf(deployment);
  });

  test('the reference server keeps everything that can be asked', () => {
    const { totals, leftBehind } = report;
    expect(notHeld(report)).toEqual([]);
    expect(report.uncheckedEndpoints).toEqual([]);
    expect(totals.held).toBeGreaterThan(50);
    expect(leftBehind).toEqual([]);
    expect(left).toEqual({ contacts: [], subscriptions: [] });
  });

  test('the report says how it is where the document shows nothing', () => {
    const notShown = report.checks.filter(({ verdict }) => verdict === 'not_shown');
    expect(Object.fromEntries(notShown.map(({ statement, seen }) => [statement, seen]))).toMatchObject({
      'The response of find': '200, the contact itself',
      'The response of the list of subscriptions': '200, an array under data',
      'Whether an upsert merges or replaces the properties of an existing contact': 'it merges',
      'An unknown id on get, update and delete': '404 not_found; 404 not_found; 404 not_found',
      'The response to a missing key, and to one that is not valid': '401 unauthorized; 401 unauthorized',
      'Invalid input': expect.stringMatching(/^400 invalid_request/),
      'The intervals between retries': '10.0 s, then 60.0 s',
      'The body of a retried delivery': 'the same bytes as the first',
    });
  });

  test('every case of the contract suite is asked, or it is said why not, and every statement is one of both', () => {
    const asked = report.checks.map(({ section, statement }) => `${section} ${statement}`);
    const cases = contractCases.map(({ name }) => name);
    expect(cases.filter((name) => !asked.includes(name)).sort()).toEqual(Object.keys(insideOnly).sort());
    const known = [...asked, ...cases];
    expect(Object.values(statements).filter((statement) => !known.includes(statement))).toEqual([]);
  });
});

test.each<[keyof ConformanceOptions | 'deliveries.retryWait', readonly string[]]>([
  [
    'otherApiKey',
    [
      statements.contactsOwned,
      statements.contactsNotUpdated,
      statements.contactsNotDeleted,
      statements.contactsNotSentTo,
      statements.eventsOwned,
      statements.subscriptionsOwned,
      statements.subscriptionsNotDeleted,
    ],
  ],
  ['exhaustedApiKey', [statements.sendOverQuota]],
  [
    'deliveries.retryWait',
    [
      statements.deliveryAcknowledged,
      statements.deliveryRetries,
      statements.retryThatSucceeds,
      statements.retryBackoff,
      statements.deliveryUnreachable,
      '§8 The intervals between retries',
      '§8 The body of a retried delivery',
    ],
  ],
])('without %s, each statement that needs it says so', async (option, statements) => {
  await using deployment = await deploy();
  const { options } = deployment;
  const { checks } = await checkConformance(
    option === 'deliveries.retryWait' && options.deliveries !== undefined
      ? { ...options, deliveries: { ...options.deliveries, retryWait: undefined } }
      : { ...options, [option]: undefined },
  );
  const unchecked = notHeld({ checks });

  expect(unchecked.map(({ section, statement }) => `${section} ${statement}`)).toEqual(statements);
  for (const check of unchecked) {
    expect(check.option).toBe(option);
    expect(check.seen).toMatch(/^it needs [a-z].+/);
    expect(check.seen.endsWith(` (${option})`)).toBe(true);
  }
});

/** What of the contract suite a deployment cannot be asked from outside, without a test's hands in it. */
const insideOnly: Readonly<Record<string, string>> = {
  [statements.sendRejected]: 'the same response as §7 send_failed, where it is asked',
  [statements.listedTemplatesAreSent]: 'asked as: GET /v1/templates: lists templates',
  [statements.signatureDecides]: "a receiver's matter",
  [statements.signatureOwnSecret]: 'told as a thing that is not shown',
  [statements.quotaThenCredits]: 'no endpoint shows the quota',
  [statements.quotaHolds]: 'it would send many messages',
  [statements.deliveryRedirect]:
    'a deployment may follow it; asked as: a failed delivery is retried twice, and no more',
  [statements.retryOfDeleted]: 'it would take the whole backoff to see nothing come',
  [statements.retrySigned]:
    'every delivery is asked for its signature; the bytes are reported as a thing that is not shown',
};

test('the report in the guide has the statements that there are', () => {
  const guide = readFileSync(repositoryFile('docs/guides/check-a-deployment.md'), 'utf8');
  const lines = [...guide.matchAll(/^ {2}[✓✗-] (?:held|broken|not checked) +(.+?) {2,}/gm)];
  const texts = Object.values(statements).map((statement) => statement.slice('§0 '.length));

  expect(lines).toHaveLength(3);
  for (const [, statement] of lines) expect(texts).toContain(statement);
});
