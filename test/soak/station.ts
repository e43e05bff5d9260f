import { MessagingAutomation, type RequestOptions } from 'messaging-automation';
import {
  faultHeader,
  type ReferenceServer,
  type ReferenceWorkspace,
  type WorkspaceSnapshot,
} from 'messaging-automation/server';
import type { ClosedEvidence, Delivery, Evidence, Message } from './accounting/evidence.js';
import type { Call, Deed } from './calls.js';
import type { OnApi, WorkspacePlan } from './plan.js';
import type { Receivers } from './receivers/receivers.js';
import { definitions, people, refusedPhones } from './scenario.js';
import type { Tally } from './tally.js';

/** What all workspaces of a soak share. */
export interface Site {
  readonly server: ReferenceServer;
  readonly baseUrl: string;
  readonly receivers: Receivers;
  readonly tally: Tally;
  /** The next number; no number comes twice. */
  readonly next: () => number;
}

/** How long a call may take. The machine's time, in milliseconds. */
const patience = 1_000;

/** A workspace under test: the calls that were made on it, and what they gave. */
export class Station {
  readonly name: string;
  readonly plan: WorkspacePlan;
  readonly site: Site;
  readonly workspace: ReferenceWorkspace;
  readonly before: WorkspaceSnapshot;
  readonly calls: Call[] = [];
  /** The ids by which the calls know the contacts and the subscriptions. */
  readonly contactIds = new Map<string, string>();
  readonly subscriptionIds: string[] = [];
  apiKey: string;
  client: MessagingAutomation;
  #closed = false;
  #attemptsAtClose = 0;
  #turn: Promise<void> = Promise.resolve();

  private constructor(
    name: string,
    plan: WorkspacePlan,
    site: Site,
    workspace: ReferenceWorkspace,
    before: WorkspaceSnapshot,
  ) {
    this.name = name;
    this.plan = plan;
    this.site = site;
    this.workspace = workspace;
    this.before = before;
    this.apiKey = workspace.apiKey;
    this.client = this.#clientWith(this.apiKey);
    for (const { id } of before.subscriptions) this.subscriptionIds.push(id);
    for (const { id, phone } of before.contacts) this.contactIds.set(phone, id);
  }

  static async open(plan: WorkspacePlan, site: Site): Promise<Station> {
    const { clock, quota, addOnCredits, randomSeed } = plan;
    const contacts = [...people.slice(0, 6), ...refusedPhones].map((phone) => ({
      phone,
      properties: { city: 'Rome' },
    }));
    const workspace = site.server.workspace({
      ...definitions,
      clock,
      quota,
      addOnCredits,
      randomSeed,
      contacts,
    });
    return new Station(plan.name, plan, site, workspace, await workspace.snapshot());
  }

  /** Another workspace that begins as this one stands. */
  async copy(): Promise<Station> {
    const { clock, randomSeed } = this.plan;
    const snapshot: WorkspaceSnapshot = JSON.parse(JSON.stringify(await this.workspace.snapshot()));
    const workspace = this.site.server.workspace({ clock, randomSeed });
    await workspace.restore(snapshot);
    return new Station(`${this.name}, copy`, this.plan, this.site, workspace, snapshot);
  }

  /** Whether it was closed before its time. */
  get closed(): boolean {
    return this.#closed;
  }

  note(deed: Deed, from: number, outcome: Call['outcome']): void {
    this.calls.push({ ...deed, from, to: this.site.next(), outcome });
  }

  takeKey(apiKey: string): void {
    this.apiKey = apiKey;
    this.client = this.#clientWith(apiKey);
  }

  /** Does one thing after the other, where callers must not do it at the same time. */
  inTurn(action: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(action);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  optionsOf({ fault }: OnApi): RequestOptions {
    return fault === undefined ? {} : { headers: { [faultHeader]: JSON.stringify(fault) } };
  }

  async closeEarly(): Promise<void> {
    this.#closed = true;
    const closing = this.workspace.close();
    this.#attemptsAtClose = await this.#attempts();
    await closing;
  }

  /** Has everything come to its end that waits for the clock. */
  async drain(): Promise<void> {
    // What comes to its end may begin something else; more than a few times is a fault, which the audit tells of.
    for (let time = 0; time < 3; time += 1) {
      await this.workspace.clock.runToIdle();
      await this.workspace.settled();
    }
  }

  async evidence(): Promise<Evidence> {
    const { journal } = this.workspace;
    const after = await this.workspace.snapshot();
    const segmentMembers: Record<string, readonly string[]> = {};
    for (const { id } of after.workspace.segments) segmentMembers[id] = await journal.segmentMembers(id);
    const { name, before, calls, plan } = this;
    return {
      name,
      clock: plan.clock,
      delayed: plan.delayed,
      before,
      after,
      calls,
      messages: await this.#messages(),
      segmentMembers,
    };
  }

  async closedEvidence(): Promise<ClosedEvidence> {
    const { sends, events, deliveries } = this.workspace;
    const decoder = new TextDecoder();
    return {
      name: this.name,
      calls: this.calls,
      messages: await this.#messages(),
      deliveries: (await deliveries.find()).map(
        (delivery): Delivery => ({ ...delivery, body: decoder.decode(delivery.body) }),
      ),
      sends: await sends.find(),
      events: await events.find(),
      attemptsAtClose: this.#attemptsAtClose,
      attemptsAtEnd: await this.#attempts(),
    };
  }

  async #messages(): Promise<readonly Message[]> {
    const entries = await this.workspace.journal.find('message');
    return entries.map(({ messageId, contactId, at }) => ({ messageId, contactId, at }));
  }

  async #attempts(): Promise<number> {
    return (await this.workspace.journal.find('attempt')).length;
  }

  #clientWith(apiKey: string): MessagingAutomation {
    return new MessagingAutomation({
      apiKey,
      baseUrl: this.site.baseUrl,
      timeout: patience,
      backoff: { initial: 10, max: 40 },
      maxRetryAfter: 50,
      // Shapes that drift are among the faults.
      onDrift: () => {},
    });
  }
}
