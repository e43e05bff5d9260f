import { hold, type Standing } from '../measure/contest.js';
import { deliveryOf } from '../peers/delivery.js';
import { createUnwrapPeers, createVerifyPeers, type WebhookPeer } from '../peers/webhooks.js';
import type { Report, Section } from '../report/section.js';

const sizes = [
  { name: '0.5 KB', bytes: 512, times: 4_000 },
  { name: '16 KB', bytes: 16_384, times: 600 },
] as const;

/** What it costs to verify a delivery, and to verify and read it. */
export async function measureWebhooks(): Promise<Report> {
  const sections: Section[] = [];
  for (const { name, bytes, times } of sizes) {
    const standings = await compare(`Verifying ${name}`, await createVerifyPeers(deliveryOf(bytes)), times);
    const rows = rowsOf(standings, { verifyWebhook: 1 });
    sections.push({
      title: `Verify a delivery of ${name}`,
      unit: 'speed, × createHmac',
      better: 'more',
      rows,
    });
  }
  for (const { name, bytes, times } of sizes) {
    const standings = await compare(`Unwrapping ${name}`, await createUnwrapPeers(deliveryOf(bytes)), times);
    const rows = rowsOf(standings, { unwrapWebhook: 1.2 });
    sections.push({
      title: `Verify and read a delivery of ${name}`,
      unit: 'speed, × stripe',
      better: 'more',
      rows,
    });
  }
  return {
    id: 'webhooks',
    method:
      'Each library verifies a delivery signed its own way, from bytes where it takes bytes; speed is the inverse of ' +
      'CPU time. createHmac is HMAC-SHA256 of node:crypto with timingSafeEqual, and nothing else.',
    sections,
  };
}

function compare(title: string, peers: readonly WebhookPeer[], times: number): Promise<readonly Standing[]> {
  return hold({ title, contestants: peers.map(toContestant), times, rounds: 25 });
}

function toContestant({ name, verify }: WebhookPeer) {
  return {
    name,
    async run(times: number) {
      for (let done = 0; done < times; done += 1) {
        const verdict = verify();
        if (verdict instanceof Promise) await verdict; // an await where nothing is awaited would cost as well
      }
    },
  };
}

function rowsOf(standings: readonly Standing[], targets: Readonly<Record<string, number>>): Section['rows'] {
  return standings.map(({ name, ratio, cpu }) => ({
    name,
    value: 1 / ratio,
    measured: `${cpu.toFixed(1)} µs`,
    ours: name in targets,
    target: targets[name],
  }));
}
