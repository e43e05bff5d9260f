import { type ConformanceReport, checkConformance } from 'messaging-automation/conformance';
import { expect, test } from 'vitest';
import { deploy } from './support/deployment.js';
import type { faults } from './support/faults.js';
import { breakingProxy, type Fault } from './support/proxy.js';

/** The report on a deployment behind a proxy with a fault. */
export async function reportOn(fault: Fault): Promise<ConformanceReport> {
  await using deployment = await deploy();
  const { options, atEndOfWait: later } = deployment;
  const { apiKey, otherApiKey } = options;
  await using proxy = await breakingProxy(options.baseUrl, fault, { apiKey, otherApiKey, later });
  return await checkConformance({ ...options, baseUrl: proxy.baseUrl });
}

/** Tests that each of these faults breaks its statement and no other. */
export function testFaults(some: typeof faults): void {
  test.each(some)('finds exactly this broken: %s -- by %s', async (breaks, _, make) => {
    const { checks } = await reportOn(make());
    const broken = checks.filter(({ verdict }) => verdict === 'broken');

    expect(broken.map(({ section, statement }) => `${section} ${statement}`)).toEqual([breaks]);
  });
}
