import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../run/free-port.js';
import { findPgbouncer, startPgbouncer } from '../../run/pgbouncer-server.js';
import { findPostgres } from '../../run/postgres-programs.js';
import { startPostgres } from '../../run/postgres-server.js';
import { sentBy } from '../accounting/audit.js';
import { accountForPosts } from '../accounting/posts.js';
import { auditTenants } from '../accounting/take-evidence.js';
import { Receiver } from '../receiver.js';
import type { SoakOptions, SoakResult } from '../report.js';
import { type Service, Tenant } from '../tenant.js';
import { Balancer } from './balancer.js';
import { problemsWithClaims } from './claims.js';
import { planDisruptions } from './disruptions.js';
import { EditedWorkspace } from './edited-workspace.js';
import { Fleet } from './fleet.js';
import { Guests } from './guests.js';
import { tellsOfItsClock, unexpectedErrors } from './logged-errors.js';
import { problemsWithNotices } from './notices.js';
import { Replica } from './replica.js';
import { problemsWithSettings } from './settings.js';

export interface ChaosOptions extends SoakOptions {
  readonly replicas: number;
  readonly chaos: boolean;
  /** Whether the database goes back to a backup, in the middle of the load and at its end. */
  readonly restores: boolean;
  /** The command line that is soaked. Default: the one of `dist/`. */
  readonly program?: string;
  /** The command line of an older version. The replicas begin with it, and are upgraded to `dist/` a third through the load. */
  readonly upgradeFrom?: string;
}

/** In milliseconds: then the tenants are others, so that none grows without end. */
const roundLasts = 45_000;
const tenantsOfEach = 3;
const callersOfEach = 3;
const progressEvery = 5_000;
/** How long the future lasts that a restore undoes. In milliseconds. */
const lostTime = 12_000;
/** A response may go out before what it says is in the journal. In milliseconds. */
const untilInJournal = 3_000;
const schema = 'messaging_automation';
/** So slow that each disruption meets attempts that are under way. In milliseconds. */
const slowResponse = 1_500;
/** How far the clock of every second replica's machine is ahead. In milliseconds. */
const clockAhead = 90_000;

/** Puts replicas under load, disrupts them, and audits when all is well again. */
export async function soakReplicas(options: ChaosOptions): Promise<SoakResult> {
  const endings: (() => Promise<unknown>)[] = [];
  try {
    return await soakWith(options, (ending) => endings.unshift(ending));
  } finally {
    for (const ending of endings) await ending();
  }
}

/** @param atEnd - Takes what to do at the end, the last first. */
async function soakWith(
  options: ChaosOptions,
  atEnd: (ending: () => Promise<unknown>) => void,
): Promise<SoakResult> {
  const { seed, duration, tally, onProgress } = options;
  const startedAt = performance.now();
  const say = (text: string) =>
    onProgress(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${text}`);
  const folder = mkdtempSync(join(tmpdir(), 'messaging-automation-chaos-'));
  const problems: string[] = [];

  const database = await startDatabase();
  atEnd(() => database.stop());
  const [receiver, guestReceiver] = [new Receiver(seed, slowResponse), new Receiver(seed)];
  for (const each of [receiver, guestReceiver]) {
    await each.start();
    atEnd(() => each.close());
  }
  const pooler = await startPooler(database.url);
  atEnd(() => pooler.stop());
  const apiKey = `key_of_the_soak_${seed}`;
  const newReplica = async (number: number) =>
    new Replica({
      number,
      program: number < options.replicas ? (options.upgradeFrom ?? options.program) : options.program,
      port: await freePort(),
      apiKey,
      // The last of several connects through a pooler.
      storeUrl: number > 0 && number === options.replicas - 1 ? pooler.url : database.url,
      clockAhead: (number % 2) * clockAhead,
      logFile: join(folder, `replica-${number + 1}.log`),
      onUnexpectedEnd: (problem) => problems.push(problem),
    });
  const replicas = await Promise.all(numbersUpTo(options.replicas).map(newReplica));
  // It sees nothing of the load, so that it knows only what the database has.
  const fresh = await newReplica(options.replicas);
  const everyReplica = [...replicas, fresh];
  const everyOrigin = everyReplica.map(({ origin }) => origin);
  const killAll = () => {
    for (const replica of everyReplica) replica.signal('SIGKILL');
  };
  process.once('exit', killAll);
  atEnd(async () => {
    await Promise.all(everyReplica.map((replica) => replica.end('SIGKILL')));
    process.off('exit', killAll);
  });
  // All at once: the first one creates the tables, and the others may wait for it.
  await Promise.all(replicas.map((replica) => replica.start()));
  const fleet = new Fleet(replicas, database);
  const origins = replicas.map(({ origin }) => origin);
  const balancer = new Balancer(origins);
  let number = 0;
  const service: Service = {
    seed,
    caller: balancer,
    receiver,
    apiKey,
    next: () => ++number,
    client: { timeout: 5_000, retries: 0, validation: 'strict' },
    faults: false,
    pauses: [20, 160],
    clockPauses: [400, 2_500],
  };
  say(`${replicas.length} ${replicas.length === 1 ? 'replica responds' : 'replicas respond'}`);

  const began = Date.now();
  const until = performance.now() + duration;
  const tenants: Tenant[] = [];
  const guests = new Guests({ seed, apiKey, origins, receiverUrl: guestReceiver.urlOf(0, 'guests') });
  const guestsWork = guests.comeAndGo(() => performance.now() < until);
  const edited: EditedWorkspace[] = [];
  const plan = options.chaos ? planDisruptions({ seed, duration, replicas: replicas.length }) : [];
  /** Lets the database go back to a backup, which undoes calls on these workspaces. */
  const restore = async (opened: readonly Tenant[], meanwhile: () => Promise<void>) => {
    const from = number;
    await wait(untilInJournal);
    say('the database is backed up');
    await guests.without(() => fleet.restoreBackup(meanwhile));
    say('the database has gone back to the backup');
    for (const tenant of opened) tenant.lose(from, number);
  };
  const disruptions = plan.map(async (disruption) => {
    await wait(Math.max(0, began + disruption.at - Date.now()));
    say(
      `${disruption.kind}${disruption.replica === undefined ? '' : ` of replica ${disruption.replica + 1}`}`,
    );
    await fleet.disrupt(disruption);
  });
  let isOld = options.upgradeFrom !== undefined;
  const upgrade = async () => {
    await wait(duration / 3);
    say('the replicas are upgraded');
    await fleet.upgrade();
    isOld = false;
    say('the replicas are those of the new version');
  };
  const upgraded = options.upgradeFrom === undefined ? undefined : upgrade();
  const progress = setInterval(() => {
    say(`${receiver.posts.length} POSTs, ${fleet.incidents.length} of ${plan.length} disruptions`);
  }, progressEvery);
  atEnd(async () => clearInterval(progress));
  let round = 0;
  /** Opens a workspace and edits its rows by hand, in the tables of this version. */
  const editWorkspace = () => {
    const workspace = new EditedWorkspace(service, round, guestReceiver.urlOf(-1, 'edited'));
    edited.push(workspace);
    return workspace.edit(database.pool, schema);
  };
  /** Lets new tenants work for a while. In a round that goes back, the database does. */
  const playRound = async (end: number, goesBack: boolean, isLast: boolean) => {
    round += 1;
    const opened = numbersUpTo(tenantsOfEach).map((index) => new Tenant(service, round, index));
    const editing = isOld ? undefined : editWorkspace();
    await Promise.all(opened.map((tenant) => tenant.open()));
    tenants.push(...opened);
    let goesOn = goesBack;
    const working = opened.map((tenant) =>
      tenant.work(callersOfEach, () => goesOn || performance.now() < end),
    );
    await editing;
    if (goesBack) {
      await restore(opened, async () => {
        await wait(lostTime);
        if (isLast) goesOn = false;
        if (isLast) await Promise.all(working);
      });
      goesOn = false;
    }
    await Promise.all(working);
    return opened;
  };
  let hasGoneBack = false;
  while (performance.now() < until) {
    const goesBack: boolean = options.restores && !hasGoneBack && performance.now() >= until - duration / 2;
    hasGoneBack ||= goesBack;
    await playRound(Math.min(until, performance.now() + roundLasts), goesBack, false);
  }
  // The replicas that live through the last restore are asked right after it.
  const opened = options.restores ? await playRound(0, true, true) : [];
  await fresh.start();
  const different = await problemsWithSettings(opened, everyOrigin);
  problems.push(...different);
  await Promise.all([...disruptions, guestsWork, upgraded]);
  const soaked = () => ({
    seconds: (performance.now() - startedAt) / 1_000,
    incidents: fleet.incidents,
    began,
    problems,
    folder,
  });
  // Work does not finish where replicas differ in their settings.
  if (different.length > 0) return soaked();
  say('the load is over; everything finishes');
  problems.push(...fleet.problems);
  await Promise.all(
    tenants.map((tenant) => tenant.drain().catch((error: unknown) => problems.push(String(error)))),
  );

  say('the audit begins');
  const evidence = await auditTenants(tenants, everyOrigin, tally, problems);
  for (const tenant of tenants) {
    const found = await problemsWithClaims(database.pool, schema, tenant.workspaceId);
    problems.push(...found.map((problem) => `${tenant.name}: ${problem}`));
  }
  problems.push(...(await guests.problems(database.pool, schema)));
  for (const each of edited) {
    problems.push(...(await each.problems(database.pool, schema).catch((error: unknown) => [String(error)])));
  }
  problems.push(...(await problemsWithNotices(apiKey, origins)));
  tally.add('workspaces', 'restored, reset and deleted', guests.gone);
  tally.add('workspaces', 'with rows edited by hand', edited.length);
  const { incidents } = fleet;
  const { posts } = receiver;
  writeFileSync(join(folder, 'evidence.json'), JSON.stringify({ incidents, posts, evidence }));
  const account = accountForPosts(evidence.flatMap(sentBy), posts, incidents);
  problems.push(...account.problems);
  tally.add('POSTs', 'on record', account.recorded);
  tally.add('POSTs', 'repeated, after a kept connection broke', account.repeated);
  for (const [kind, count] of account.interrupted) tally.add('POSTs', `on no record: ${kind}`, count);
  for (const [name, count] of balancer.responses) tally.add('responses', name, count);
  for (const { kind } of incidents) tally.add('disruptions', kind);
  for (const [name, message] of balancer.strange) {
    problems.push(`a right call got ${name}: ${message}`);
  }
  for (const { settings: replica } of everyReplica) {
    const known = edited.flatMap(({ spoilt }) => spoilt);
    const log = readFileSync(replica.logFile, 'utf8');
    if (tellsOfItsClock(log) !== replica.clockAhead > 0) {
      problems.push(`replica ${replica.number + 1} judges the clock of its machine wrongly`);
    }
    const errors = unexpectedErrors(log, known);
    problems.push(...errors.map((error) => `replica ${replica.number + 1} logged ${error}`));
  }
  return soaked();
}

/** The whole numbers from 0, so many. */
function numbersUpTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, number) => number);
}

async function startPooler(url: string) {
  const found = await findPgbouncer();
  if ('missing' in found) throw new Error(`There is no PgBouncer: ${found.missing}.`);
  return startPgbouncer(found.program, url, 'session');
}

async function startDatabase() {
  const found = await findPostgres();
  if ('missing' in found) throw new Error(`There is no PostgreSQL: ${found.missing}.`);
  return startPostgres(found, { durable: true });
}
