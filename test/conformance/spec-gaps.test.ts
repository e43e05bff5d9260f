import { checkConformance } from 'messaging-automation/conformance';
import type { SpecGaps } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { deploy } from './support/deployment.js';

/** Other deployments that the document allows just as well, and what is told of each. */
const others: readonly [Partial<SpecGaps>, string | undefined, string | undefined][] = [
  [
    { errorBody: 'flat' },
    'The code of the 404 on find, and the shape of its body',
    '404 not_found, { code, message }',
  ],
  [
    { errorBody: 'code' },
    'The code of the 404 on find, and the shape of its body',
    '404 not_found, { error }',
  ],
  [
    { errorBody: 'text' },
    'The code of the 404 on find, and the shape of its body',
    '404, a body that is not JSON (text/plain)',
  ],
  [{ listBody: 'array' }, 'The response of the list of templates', '200, a bare array'],
  [{ listBody: 'named' }, 'The response of the list of subscriptions', '200, an array under webhooks'],
  [{ contactBody: 'contact' }, 'The response of find', '200, the contact under contact'],
  [{ contactBody: 'data' }, 'The response of get', '200, the contact under data'],
  [{ updateAnswer: 'empty' }, 'The response of update', '204, no body'],
  [
    { unauthorizedStatus: 403 },
    'The response to a missing key, and to one that is not valid',
    '403 unauthorized; 403 unauthorized',
  ],
  [
    { invalidRequestStatus: 422 },
    'An event with both of contactId and phone, or neither',
    '422 invalid_request; 422 invalid_request',
  ],
  [{ unreadableBodyStatus: 422 }, 'A body that is not JSON', '422 invalid_json'],
  [
    { unknownIdStatus: 410 },
    'An unknown id on get, update and delete',
    '410 not_found; 410 not_found; 410 not_found',
  ],
  [
    { requiredWebhookFields: 'url' },
    'The required fields of POST /v1/webhooks',
    'without url 400 invalid_request; without events 201',
  ],
  [{ secretInList: 'shown' }, 'Whether a listed subscription shows its secret', 'it does'],
  [{ consentEventData: 'empty' }, 'The data of contact.opted_in and contact.opted_out', '{}; {}'],
  [{ templateRecord: 'id' }, 'The fields of a template beyond its id', 'none'],
  [{ retryBackoff: ['1s', '5s'] }, 'The intervals between retries', '1.0 s, then 5.0 s'],
  [{ retriedBody: 're-stamped' }, 'The body of a retried delivery', 'another one'],
  [
    { upsertOfExisting: 'replace' },
    'Whether an upsert merges or replaces the properties of an existing contact',
    'it replaces',
  ],
  [{ unencodedPlus: 'accept', changedPhone: 'ignore', nestedProperty: 'accept' }, undefined, undefined],
  [
    { sendToOptedOut: 'refuse', unknownTemplate: 'not_found', sendChecks: 'template first' },
    undefined,
    undefined,
  ],
  [{ rejectedSend: 'spends one', receiverRedirect: 'follow' }, undefined, undefined],
];

test.each(others)('breaks nothing where it is %j', async (gaps, statement, told) => {
  await using deployment = await deploy(gaps);
  const { checks } = await checkConformance(deployment.options);

  expect(checks.filter(({ verdict }) => verdict === 'broken' || verdict === 'not_checked')).toEqual([]);
  expect(checks.find((check) => check.statement === statement)?.seen).toBe(told);
});

test.each<[SpecGaps['errorBody'], string]>([
  ['html', 'a body that is not JSON (text/html)'],
  ['empty', 'no body'],
])('an error body that is %s breaks nothing; only the codes cannot be seen', async (errorBody, shown) => {
  await using deployment = await deploy({ errorBody });
  const { checks, totals } = await checkConformance(deployment.options);
  const unchecked = checks.filter(({ verdict }) => verdict === 'not_checked');

  expect(totals.broken).toBe(0);
  for (const { seen } of unchecked) {
    expect(seen).toMatch(/^it needs an error body that shows its code; seen was 4\d\d, /);
    expect(seen.endsWith(shown)).toBe(true);
  }
  expect(unchecked.map(({ statement }) => statement)).toEqual([
    'POST /v1/transactional: 402 quota_exceeded',
    'POST /v1/transactional: 404 not_found for a phone that no contact has',
    'send_failed: the template is not approved',
    'send_failed: bad variables',
    'send_failed: an issue of the provider',
  ]);
});

test('a rate limit is kept to, and told', async () => {
  await using deployment = await deploy({ rateLimit: { requests: 25, per: '1s' } });
  const { checks, totals } = await checkConformance(deployment.options);

  expect(totals).toMatchObject({ broken: 0, not_checked: 0 });
  expect(checks.find(({ statement }) => statement === 'A limit to the rate of requests')?.seen).toContain(
    'retry-after',
  );
});

test.each<SpecGaps['retryBackoff'][]>([[['100ms', '100ms']], [['0s', '1s']]])(
  'a backoff of at least 0.1 s is one: %j',
  async (retryBackoff) => {
    await using deployment = await deploy({ retryBackoff });
    const { totals } = await checkConformance(deployment.options);

    expect(totals).toMatchObject({ broken: 0, not_checked: 0 });
  },
);
