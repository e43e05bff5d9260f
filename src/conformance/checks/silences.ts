import { operations } from '../../contract/operations.js';
import type { ConformanceRun } from '../conformance-run.js';
import { describeStatus } from '../exchange/body.js';

/** §7, what the document does not show: refusals of invalid input, and of unknown paths and methods. */
export async function checkRefusals(run: ConformanceRun): Promise<void> {
  const unknownPath = await run.request({ method: 'GET', path: '/v1/conformance_check' });
  const otherMethod = await run.request({ method: 'PATCH', path: operations.templates.list.path });
  const notJson = await run.request(operations.contacts.upsert, { body: '{' });
  run.notShown('§7 Invalid input', await run.upsert('conformance-check'));
  run.notShown('§7 A body that is not JSON', notJson, describeStatus);
  run.notShown('§7 An unknown path, an unknown method', [unknownPath, otherMethod], describeStatus);
}

/** §8, what the document does not show: the headers of all responses, and whether one was a 429. */
export async function checkHeaders(run: ConformanceRun): Promise<void> {
  const { headerNames, rateLimited } = run.requester.observed;
  const { responses, waited } = rateLimited;
  const sorted = [...headerNames].sort();
  const names = (pattern: RegExp) => sorted.filter((name) => pattern.test(name)).join(', ');
  const limited =
    responses === 0
      ? 'no response was 429'
      : `responses with 429: ${responses}, for which the check waited ${(waited / 1000).toFixed(1)} s`;
  const limits = names(/rate-?limit|^retry-after$/) || 'no header names a limit';
  run.notShown('§8 A limit to the rate of requests', `${limited}; ${limits}`);
  const ids = names(/^(x-)?(request|correlation|trace)-id$|^traceparent$/) || 'none';
  run.notShown('§8 A header that names the request', ids);
}
