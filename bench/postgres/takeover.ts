import { setTimeout as wait } from 'node:timers/promises';
import { startProcess } from '../measure/other-process.js';
import { showProgress } from '../measure/progress.js';
import { median } from '../measure/statistics.js';
import type { Report } from '../report/section.js';
import type { BenchDatabase } from './database.js';

const messages = 16;
/** In milliseconds. */
const patience = 60_000;

/** How long what a killed replica had under way waits for another. */
export async function measureTakeover(database: BenchDatabase, short: boolean): Promise<Report> {
  const title = 'A replica that is killed';
  const rounds = short ? 1 : 3;
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    showProgress(title, round, rounds);
    times.push(await takeover(database));
  }
  showProgress(title, 1, 1);
  return {
    id: 'postgres-takeover',
    method:
      `A replica is killed with SIGKILL while ${messages} of its attempts wait for a response; from then until another replica has sent ` +
      'all of them again. The lease is as it comes, 10 s. The longest of the rounds.',
    sections: [
      {
        title: 'Takeover after kill -9',
        unit: 's until all is sent again',
        better: 'less',
        rows: [
          {
            name: 'another replica',
            value: Math.max(...times) / 1_000,
            measured: `median ${(median(times) / 1_000).toFixed(1)} s`,
            shown: true,
            ours: true,
            target: 15,
          },
        ],
      },
    ],
  };
}

async function takeover(database: BenchDatabase): Promise<number> {
  const replica = new URL('processes/replica.ts', import.meta.url);
  const { environment } = database.freshStore();
  await using receiver = await startProcess(new URL('processes/second-time-receiver.ts', import.meta.url));
  await using victim = await startProcess(replica, { environment });
  await victim.ask('subscribe', `http://127.0.0.1:${receiver.ready.port}/`);
  await victim.ask('take', messages);
  const untilAll = async (name: 'first' | 'second') => {
    const endsAt = performance.now() + patience;
    for (;;) {
      const told = await receiver.ask('told');
      if (told[name] === messages) return told;
      if (performance.now() > endsAt)
        throw new Error(`${told[name]} of ${messages} arrived the ${name} time.`);
      await wait(20);
    }
  };
  await untilAll('first');
  // Only now: what it had begun itself would fail, and be retried in its own time.
  await using _heir = await startProcess(replica, { environment });
  const killedAt = Number(process.hrtime.bigint()) / 1e6;
  await victim[Symbol.asyncDispose]();
  const { last = Number.NaN } = await untilAll('second');
  return last - killedAt;
}
