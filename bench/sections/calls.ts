import { hold } from '../measure/contest.js';
import { startCallPeers } from '../peers/calls.js';
import type { Report } from '../report/section.js';
import { startService } from './service.js';

const atOnce = 10;
const targets: Readonly<Record<string, number>> = {
  'messaging-automation': 1.3,
  'messaging-automation/undici': 0.7,
};

/** What one call costs the caller: each library posts some JSON, and reads the JSON of the response. */
export async function measureCalls(): Promise<Report> {
  await using service = await startService();
  const peers = await startCallPeers(service.origin);
  const standings = await hold({
    title: 'Calls',
    contestants: peers.map(({ name, call }) => ({ name, run: (times) => callInParallel(call, times) })),
    times: 400,
    rounds: 15,
  });
  return {
    id: 'calls',
    method:
      'CPU time of the calling process, its garbage collection included; the service is another process on this ' +
      `machine; ${atOnce} calls at a time, each library with its own defaults for retries and timeouts.`,
    sections: [
      {
        title: 'One call: POST some JSON, read the JSON response',
        unit: 'CPU time, × bare fetch',
        better: 'less',
        rows: standings.map(({ name, ratio, cpu }) => ({
          name,
          value: ratio,
          measured: `${cpu.toFixed(0)} µs`,
          ours: name.startsWith('messaging-automation'),
          target: targets[name],
        })),
      },
    ],
  };
}

async function callInParallel(call: () => Promise<unknown>, times: number): Promise<void> {
  const one = async () => {
    for (let done = 0; done < times / atOnce; done += 1) await call();
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}
