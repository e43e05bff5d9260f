import type { ReferenceWorkspace } from 'messaging-automation/server';
import { auditArrivals, auditClosedWorkspace, auditWorkspace } from './accounting/audit.js';
import { type Breakage, damaged } from './accounting/damage.js';
import type { Arrival, Evidence } from './accounting/evidence.js';
import { actByHand } from './by-hand.js';
import { callApi } from './on-api.js';
import { isOnApi, type Kill, type Operation, type RoundPlan } from './plan.js';
import { type Site, Station } from './station.js';
import type { Tally } from './tally.js';

/** Plays a round: opens its workspaces, has everything done to them, lets it come to its end, and gives what does not add up. */
export async function playRound(
  plan: RoundPlan,
  site: Site,
  breakage: Breakage | undefined,
): Promise<readonly string[]> {
  const round = new Round(plan, site);
  await round.play();
  return round.audit(breakage);
}

class Round {
  readonly #plan: RoundPlan;
  readonly #site: Site;
  readonly #stations: Station[] = [];
  readonly #problems: string[] = [];
  #operations = 0;

  constructor(plan: RoundPlan, site: Site) {
    this.#plan = plan;
    this.#site = site;
  }

  async play(): Promise<void> {
    const { workspaces } = this.#plan;
    const { receivers, tally } = this.#site;
    await Promise.all(
      workspaces.map(async (plan) => {
        const station = await Station.open(plan, this.#site);
        this.#stations.push(station);
        await Promise.all(plan.callers.map((operations) => this.#perform(station, operations)));
      }),
    );
    await receivers.start();
    tally.add('workspaces', 'opened', this.#stations.length);
    await Promise.all(this.#stations.filter(({ closed }) => !closed).map((station) => station.drain()));
  }

  async audit(breakage: Breakage | undefined): Promise<readonly string[]> {
    const { receivers, tally } = this.#site;
    const open = this.#stations.filter(({ closed }) => !closed);
    const evidence: Evidence[] = [];
    for (const station of open) evidence.push(damaged(await station.evidence(), breakage));
    const arrivals = receivers.arrivals().filter((arrival) => !isOfEarlierRound(arrival, this.#plan.number));
    await Promise.all(open.map(({ workspace }) => workspace.close()));
    const closed = await Promise.all(
      this.#stations.filter((station) => station.closed).map((station) => station.closedEvidence()),
    );
    tally.add('workspaces', 'closed early', closed.length);
    tally.add('arrivals', 'at receivers', arrivals.length);
    for (const each of evidence) count(each, tally);
    for (const { workspace } of this.#stations) await countFaults(workspace, tally);
    for (const { deliveries } of closed) tally.add('deliveries', 'of a closed workspace', deliveries.length);
    return [
      ...this.#problems,
      ...evidence.flatMap(auditWorkspace),
      ...closed.flatMap(auditClosedWorkspace),
      ...auditArrivals(evidence, closed, arrivals).map((problem) => `round ${this.#plan.number}: ${problem}`),
    ];
  }

  async #perform(station: Station, operations: readonly Operation[]): Promise<void> {
    for (const operation of operations) {
      try {
        await this.#performOne(station, operation);
      } catch (error) {
        const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
        if (!isRefusalOfClosed(station, error)) {
          this.#problems.push(`${station.name}: ${operation.kind} went wrong: ${told}`);
        }
      }
      await this.#killOrRestart();
    }
  }

  async #performOne(station: Station, operation: Operation): Promise<void> {
    const { tally } = this.#site;
    if (isOnApi(operation)) {
      const outcome = await callApi(station, operation, this.#plan.number);
      if (outcome === undefined) return;
      tally.add('operations', operation.kind);
      tally.add('outcomes', outcome);
      return;
    }
    // Nobody holds a workspace that was closed.
    if (station.closed) return;
    tally.add('operations', operation.kind);
    if (operation.kind === 'copy') {
      const copy = await station.copy();
      this.#stations.push(copy);
      await this.#perform(copy, operation.operations);
    } else {
      await actByHand(station, operation);
    }
  }

  async #killOrRestart(): Promise<void> {
    this.#operations += 1;
    const { receivers } = this.#site;
    const isNow = (number: number) => number === this.#operations;
    const { kills } = this.#plan;
    await Promise.all(
      kills.filter(({ after }) => isNow(after)).map(({ receiver }: Kill) => receivers.kill(receiver)),
    );
    await Promise.all(
      kills
        .filter(({ restartAfter }) => isNow(restartAfter))
        .map(({ receiver }) => receivers.restart(receiver)),
    );
  }
}

/** A workspace that is closed while its clock moves, say, refuses the rest. */
function isRefusalOfClosed({ closed }: Station, error: unknown): boolean {
  return closed && error instanceof Error && error.message.startsWith('This workspace is closed.');
}

/** What a receiver wrote down after the server had given the attempt up, and the round was over. */
function isOfEarlierRound({ path }: Arrival, round: number): boolean {
  const [, number] = /^\/r(\d+)\//.exec(path) ?? [];
  return number !== undefined && Number(number) < round;
}

/** Counts what is new in a workspace. */
function count({ before, after, messages }: Evidence, tally: Tally): void {
  const old = new Set(
    [...before.deliveries, ...before.sends, ...before.events, ...before.journeyRuns].map(({ id }) => id),
  );
  const isNew = ({ id }: { readonly id: string }) => !old.has(id);
  const earlier = new Map(before.deliveries.map((delivery) => [delivery.id, delivery]));
  for (const { id, status, attempts } of after.deliveries) {
    const previous = earlier.get(id);
    // What another workspace has ended is counted there, and so are its attempts.
    if (previous === undefined || previous.status === 'pending') tally.add('deliveries', status);
    for (const { error } of attempts.slice(previous?.attempts.length ?? 0)) {
      tally.add('attempts', error === undefined ? 'acknowledged' : 'not acknowledged');
    }
  }
  tally.add('messages', 'inbound', messages.length);
  tally.add('events', 'processed', after.events.filter(isNew).length);
  for (const { status } of after.journeyRuns.filter(isNew)) tally.add('journey runs', status);
  for (const { journeyRunId } of after.sends.filter(isNew)) {
    tally.add('sends', journeyRunId === undefined ? 'by the API' : 'by journeys');
  }
}

async function countFaults({ journal }: ReferenceWorkspace, tally: Tally): Promise<void> {
  for (const entry of await journal.find('fault')) {
    tally.add('requestId' in entry ? 'request faults' : 'delivery faults', entry.fault.kind);
  }
}
