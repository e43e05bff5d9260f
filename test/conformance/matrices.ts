import {
  type ConformanceCheck,
  type ConformanceOptions,
  type ConformanceReport,
  checkConformance,
} from 'messaging-automation/conformance';
import type { SpecGaps } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { statements } from '../../src/contract/statements.js';
import { type Deployment, deploy } from './support/deployment.js';
import type { faults } from './support/faults.js';
import { type ApiResponse, breakingProxy, type Fault } from './support/proxy.js';

/** The report on a deployment behind a proxy with a fault. */
export async function reportOn(
  { options, atEndOfWait: later }: Deployment,
  fault: Fault,
  more: Partial<ConformanceOptions> = {},
): Promise<ConformanceReport> {
  const { apiKey, otherApiKey } = options;
  await using proxy = await breakingProxy(options.baseUrl, fault, { apiKey, otherApiKey, later });
  const deliveries = options.deliveries && { ...options.deliveries, lateResponse: true };
  return await checkConformance({ ...options, deliveries, baseUrl: proxy.baseUrl, ...more });
}

/**
 * Tests that each of these faults breaks its statement. Another statement may break, too, where the same responses are its evidence. Only
 * a fault of §3, §6 and §8 needs deliveries, and only one of §8 their retries.
 */
export function testFaults(some: typeof faults): void {
  test.each(some)('finds this broken: %s -- by %s', async (breaks, _, make) => {
    await using deployment = await deploy();
    const { options } = deployment;
    const { retryWait } = options.deliveries ?? {};
    const deliveries =
      options.deliveries && /^§[368]/.test(breaks)
        ? { ...options.deliveries, retryWait: /^§8/.test(breaks) ? retryWait : 0 }
        : undefined;
    const { checks } = await reportOn({ ...deployment, options: { ...options, deliveries } }, make());
    const broken = checks.filter(({ verdict }) => verdict === 'broken');

    expect(broken.map(({ section, statement }) => `${section} ${statement}`)).toContain(breaks);
  });
}

/** The statements that did not hold, without the one that takes the server real seconds: only a proxy gives up at once. */
export function notHeld({ checks }: Pick<ConformanceReport, 'checks'>): readonly ConformanceCheck[] {
  const isLate = ({ section, statement }: ConformanceCheck) =>
    `${section} ${statement}` === statements.deliveryTimeout;
  return checks.filter(
    (check) => check.verdict === 'broken' || (check.verdict === 'not_checked' && !isLate(check)),
  );
}

export const turnedAway = (headers: ApiResponse['headers']): ApiResponse => ({
  status: 429,
  headers,
  body: '',
});

/** Responds to every seventh request with 429: before the service gets it, or after the service has carried it out. */
export function everySeventh(headers: ApiResponse['headers'], isCarriedOut = false, first = 0): Fault {
  let requests = first;
  return {
    async api(request, service) {
      requests += 1;
      if (requests % 7 !== 0) return service.ask(request);
      if (isCarriedOut) await service.ask(request);
      return turnedAway(headers);
    },
  };
}

/** Tests runs in which every seventh response after the first ones is a 429, though the request was carried out. */
export function testLateRefusals(firsts: readonly number[]): void {
  test.each(firsts)(
    'a 429 on every seventh response after the %ith breaks no statement, although the request was carried out',
    async (first) => {
      await using deployment = await deploy();
      const fault = everySeventh({ 'retry-after': '1' }, true, first);
      const { checks, totals, leftBehind } = await reportOn(deployment, fault);

      expect(checks.filter(({ verdict }) => verdict === 'broken')).toEqual([]);
      expect(totals.held).toBeGreaterThan(50);
      const { contacts, subscriptions } = await deployment.server.snapshot();
      expect(subscriptions).toEqual([]);
      // Other workspaces may keep a contact, too.
      expect(contacts.length).toBeLessThanOrEqual(leftBehind.length);
    },
  );
}

/** What a workspace holds that somebody would miss, or would be puzzled by. */
export async function belongingsOf({ server }: Deployment) {
  const { contacts, subscriptions } = await server.snapshot();
  return { contacts, subscriptions };
}

/** Something of everything, as a workspace that is in use has it. */
export async function furnished(): Promise<Deployment> {
  const deployment = await deploy();
  const { client } = deployment.server;
  await client.contacts.upsert({ phone: '+442071838750', properties: { firstName: 'Grace' } });
  await client.webhooks.create({ url: 'https://example.com/hooks', events: ['contact.opted_in'] });
  return deployment;
}

/** Tests runs that end at these requests. */
export function testEnds(ends: readonly number[]): void {
  test.each(ends)(
    'ended at request %i, it removes what it made and rejects with the reason',
    async (last) => {
      await using deployment = await furnished();
      const before = await belongingsOf(deployment);
      const controller = new AbortController();
      let requests = 0;
      const run = checkConformance({
        ...deployment.options,
        signal: controller.signal,
        fetch: (input, init) => {
          requests += 1;
          if (requests === last) controller.abort(new Error('enough'));
          return fetch(input, init);
        },
      });

      await expect(run).rejects.toThrow('enough');
      expect(await belongingsOf(deployment)).toEqual(before);
    },
  );
}

const errorOfFind = 'The code of the 404 on find, and the shape of its body';

/** Other deployments that the document allows just as well, and what the report says of each. */
export const otherDeployments: readonly [Partial<SpecGaps>, statement: string, told: string][] = [
  [{ errorBody: 'flat' }, errorOfFind, '404 not_found, { code, message }'],
  [{ errorBody: 'text' }, errorOfFind, '404, a body that is not JSON (text/plain)'],
  [{ listBody: 'array' }, 'The response of the list of templates', '200, a bare array'],
  [{ listBody: 'named' }, 'The response of the list of subscriptions', '200, an array under webhooks'],
  [{ contactBody: 'contact' }, 'The response of find', '200, the contact under contact'],
  [{ updateResponse: 'empty' }, 'The response of update', '204, no body'],
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
];

/** Tests that the check breaks nothing at these deployments, and says how they differ. */
export function testSpecGaps(some: typeof otherDeployments): void {
  test.each(some)('breaks nothing where it is %j', async (gaps, statement, told) => {
    await using deployment = await deploy(gaps);
    const report = await checkConformance(deployment.options);

    expect(notHeld(report)).toEqual([]);
    expect(report.checks.find((check) => check.statement === statement)?.seen).toBe(told);
  });
}
