import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findPostgres } from '../../run/postgres-programs.js';
import { startPostgres } from '../../run/postgres-server.js';
import { auditWorkspace } from '../accounting/audit.js';
import type { Evidence } from '../accounting/evidence.js';
import { knownSubscriptions } from '../accounting/subscriptions.js';
import type { Tally } from '../tally.js';
import { unexpectedErrors } from './accounting/logged-errors.js';
import { accountForPosts, type Incident, type SignedDelivery } from './accounting/posts.js';
import { problemsWithTables } from './accounting/tables.js';
import { takeEvidence } from './accounting/take-evidence.js';
import { allDisruptions, type DisruptionKind, planDisruptions } from './disruptions.js';
import { type PlantedFault, plant } from './planted/planted.js';
import { Balancer } from './service/balancer.js';
import { Fleet } from './service/fleet.js';
import { Receiver } from './service/receiver.js';
import { Replica } from './service/replica.js';
import { tallyTenant } from './tally-tenant.js';
import { Tenant } from './tenant.js';

export interface ChaosOptions {
  readonly seed: number;
  /** For how long there is load, in milliseconds. */
  readonly duration: number;
  readonly store: 'postgres' | 'memory';
  readonly replicas: number;
  readonly chaos: boolean;
  readonly fault: PlantedFault | undefined;
  readonly tally: Tally;
  /** Told now and then how far it is. */
  readonly onProgress: (line: string) => void;
}

export interface ChaosResult {
  readonly seconds: number;
  readonly incidents: readonly Incident[];
  /** When the load began: the machine's time, in milliseconds since the Unix epoch. */
  readonly began: number;
  readonly problems: readonly string[];
  /** What the replicas printed is in files in here. */
  readonly folder: string;
}

/** In milliseconds: then the tenants are others, so that none grows without end. */
const wave = 45_000;
const tenantsOfEach = 3;
const callersOfEach = 3;
const progressEvery = 5_000;
const schema = 'messaging_automation';

/** The lease of the replicas is 10 s. In memory there is none, and a stop is no more than a pause. */
const stops = { postgres: [11_500, 16_000], memory: [500, 3_000] } as const;
const kinds: Readonly<Record<ChaosOptions['store'], readonly DisruptionKind[]>> = {
  postgres: allDisruptions,
  memory: ['stop'],
};

/** Puts a service under load, disrupts it, and takes the accounts when all is well again. */
export async function chaosSoak(options: ChaosOptions): Promise<ChaosResult> {
  const endings: (() => Promise<void>)[] = [];
  try {
    return await soakWith(options, (ending) => endings.unshift(ending));
  } finally {
    for (const ending of endings) await ending();
  }
}

/** @param atEnd - Takes what is to be done in the end, the last first. */
async function soakWith(
  options: ChaosOptions,
  atEnd: (ending: () => Promise<void>) => void,
): Promise<ChaosResult> {
  const { seed, duration, store, tally, onProgress } = options;
  const startedAt = performance.now();
  const elapsed = () => ((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4);
  const say = (line: string) => onProgress(`${elapsed()} s  ${line}`);
  const folder = mkdtempSync(join(tmpdir(), 'messaging-automation-chaos-'));
  const problems: string[] = [];

  const database = store === 'postgres' ? await startDatabase() : undefined;
  if (database !== undefined) atEnd(() => database.stop());
  const receiver = new Receiver(seed);
  await receiver.start();
  atEnd(() => receiver.close());
  const apiKey = `key_of_the_soak_${seed}`;
  const replicas = await Promise.all(
    Array.from({ length: options.replicas }, (_, number) =>
      Replica.create({
        number,
        apiKey,
        storeUrl: database?.url,
        logFile: join(folder, `replica-${number + 1}.log`),
        onUnexpectedEnd: (told) => problems.push(told),
      }),
    ),
  );
  const killAll = () =>
    replicas.map(({ processId }) => processId !== undefined && process.kill(processId, 'SIGKILL'));
  process.once('exit', killAll);
  atEnd(async () => {
    await Promise.all(replicas.map((replica) => replica.kill()));
    process.off('exit', killAll);
  });
  // The first one makes the tables while the others wait for it, or not: all at once.
  await Promise.all(replicas.map((replica) => replica.start()));
  if (database !== undefined && options.fault !== undefined)
    await plant(options.fault, database.pool, schema);
  const fleet = new Fleet(replicas, database);
  const origins = replicas.map(({ origin }) => origin);
  const balancer = new Balancer(origins);
  const watching = new AbortController();
  void balancer.watch(watching.signal);
  atEnd(async () => watching.abort());
  let number = 0;
  const service = { seed, balancer, receiver, apiKey, next: () => ++number };
  say(`${replicas.length} ${replicas.length === 1 ? 'replica answers' : 'replicas answer'}`);

  const began = Date.now();
  const until = performance.now() + duration;
  const tenants: Tenant[] = [];
  const plan = options.chaos
    ? planDisruptions({ seed, duration, replicas: replicas.length, kinds: kinds[store], stop: stops[store] })
    : [];
  const chaos = plan.map(async (disruption) => {
    await wait(Math.max(0, began + disruption.at - Date.now()));
    const whom = 'replica' in disruption ? ` of replica ${disruption.replica + 1}` : '';
    say(`${disruption.kind}${whom}`);
    await fleet.disrupt(disruption);
  });
  const progress = setInterval(() => {
    const calls = [...balancer.answers.values()].reduce((sum, count) => sum + count, 0);
    say(
      `${calls} answers, ${receiver.posts.length} POSTs, ${fleet.incidents.length} of ${plan.length} disruptions`,
    );
  }, progressEvery);
  try {
    for (let round = 1; performance.now() < until; round += 1) {
      const opened = Array.from({ length: tenantsOfEach }, (_, index) => new Tenant(service, round, index));
      const waveEnds = Math.min(until, performance.now() + wave);
      await Promise.all(
        opened.map(async (tenant) => {
          await tenant.open();
          tenants.push(tenant);
          await tenant.work(callersOfEach, waveEnds);
        }),
      );
    }
    await Promise.all(chaos);
  } finally {
    clearInterval(progress);
  }
  say('the load is over; everything comes to its end');
  problems.push(...fleet.problems);
  await Promise.all(
    tenants.map((tenant) =>
      tenant.drain().catch((error: unknown) => {
        problems.push(error instanceof Error ? error.message : String(error));
      }),
    ),
  );

  say('taking the accounts');
  const evidence: Evidence[] = [];
  for (const tenant of tenants) {
    const taken = await takeEvidence(tenant, origins);
    evidence.push(taken.evidence);
    tallyTenant(taken.evidence, tally);
    tally.add('journal', 'entries', taken.journalEntries);
    tally.add('journal', 'messages it does not have', taken.notInJournal);
    tally.add('journal', 'accepted messages it does not have', taken.acceptedNotInJournal);
    tally.add('journal', 'attempts it does not have', taken.attemptsNotInJournal);
    problems.push(...taken.problems, ...auditWorkspace(taken.evidence));
    if (database !== undefined) {
      const { name, after } = taken.evidence;
      const found = await problemsWithTables(database.pool, schema, after);
      problems.push(...found.map((problem) => `${name}: ${problem}`));
    }
  }
  writeFileSync(
    join(folder, 'evidence.json'),
    JSON.stringify({ incidents: fleet.incidents, posts: receiver.posts, evidence }),
  );
  const account = accountForPosts(evidence.flatMap(signedDeliveries), receiver.posts, fleet.incidents);
  problems.push(...account.problems);
  tally.add('POSTs', 'on record', account.recorded);
  for (const [kind, count] of account.interrupted) tally.add('POSTs', `on no record: ${kind}`, count);
  tally.add('POSTs again', 'deliveries with more than three', account.moreThanThree);
  tally.add('POSTs again', 'acknowledged to nobody', account.acknowledgedInVain);
  for (const [name, count] of balancer.answers) tally.add('answers', name, count);
  for (const { kind } of fleet.incidents) tally.add('disruptions', kind);
  for (const [name, message] of balancer.strange)
    problems.push(`a right call was answered with ${name}: ${message}`);
  for (const { number, logFile } of replicas) {
    const errors = unexpectedErrors(readFileSync(logFile, 'utf8'));
    problems.push(...errors.map((error) => `replica ${number + 1} logged ${error}`));
  }
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    incidents: fleet.incidents,
    began,
    problems,
    folder,
  };
}

async function startDatabase() {
  const found = await findPostgres();
  if ('missing' in found) throw new Error(`There is no PostgreSQL: ${found.missing}.`);
  return startPostgres(found, { durable: true });
}

function signedDeliveries({ before, after, calls }: Evidence): readonly SignedDelivery[] {
  const subscriptions = knownSubscriptions(before.subscriptions, after.subscriptions, calls);
  return after.deliveries.flatMap((delivery) => {
    const secret = subscriptions.get(delivery.subscriptionId)?.secret;
    return secret === undefined ? [] : [{ delivery, secret }];
  });
}
