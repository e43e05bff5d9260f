import { randomUUID } from 'node:crypto';
import { MessagingAutomation } from 'messaging-automation';
import type { WorkspaceSnapshot } from 'messaging-automation/server';
import type { Pool } from 'pg';
import { Chance } from '../chance.js';
import { askControl, insist, insistOn, type Result } from '../control.js';
import type { Service } from '../tenant.js';

const phones = ['+15550188001', '+15550188002'];

/** How an operator spoils a row of a workspace by hand, in SQL that returns its id. A delivery has its time in its message. */
const edits = (schema: string) => [
  `update ${schema}.journey_runs set record = 'null' where (workspace, id) in (
     select workspace, r.id from ${schema}.journey_runs r join ${schema}.workspaces w on number = workspace
     where w.id = $1 and status = 'waiting' order by r.place limit 1
   ) returning id`,
  `with chosen as (
     select workspace, d.id, ${schema}.message_of(d.place) as message
     from ${schema}.deliveries d join ${schema}.workspaces w on number = workspace
     where w.id = $1 and status = 'pending' order by d.place limit 1
   )
   update ${schema}.messages m set created_at = 'NaN' from chosen
   where m.workspace = chosen.workspace and m.place = chosen.message returning chosen.id`,
];

/**
 * A workspace in which someone edits rows by hand, until one of its journey runs and one of its deliveries cannot be read. The
 * replicas set these two aside, and the others finish.
 */
export class EditedWorkspace {
  /** The ids of the spoilt rows. */
  readonly spoilt: string[] = [];
  readonly #service: Service;
  readonly #chance: Chance;
  readonly #name: string;
  readonly #url: string;
  readonly #workspaceId = `workspace_${randomUUID().replaceAll('-', '')}`;
  readonly #apiKey = `key_${randomUUID()}`;

  /** @param url - No delivery to it is acknowledged. */
  constructor(service: Service, round: number, url: string) {
    this.#service = service;
    this.#chance = new Chance(service.seed, round * 100 + 6);
    this.#name = `round ${round}, the edited workspace`;
    this.#url = url;
  }

  /** Opens the workspace, and spoils the first of its journey runs and of its deliveries. */
  async edit(pool: Pool, schema: string): Promise<void> {
    const { apiKey, client: options } = this.#service;
    const seed = {
      workspaceId: this.#workspaceId,
      apiKey: this.#apiKey,
      clock: 'frozen',
      templates: [{ id: 'hello', body: 'Hello' }],
      contacts: phones.map((phone) => ({ phone })),
      journeys: [{ id: 'welcome', event: 'joined', steps: [{ wait: '1h' }, { send: 'hello' }] }],
      managedWebhooks: [{ url: this.#url, events: ['message.received'] }],
    };
    await this.#insist((origin) => askControl(origin, apiKey, 'POST', 'workspaces', { body: seed }));
    for (const phone of phones) {
      await this.#insist((origin) =>
        new MessagingAutomation({
          ...options,
          apiKey: this.#apiKey,
          baseUrl: `${origin}/api`,
        }).events.track({ event: 'joined', phone }),
      );
      await this.#insist(this.#asking('POST', 'inbound-messages', { phone, body: 'Hello' }));
    }
    await this.#insist(this.#asking('POST', 'settled'));
    for (const edit of edits(schema)) {
      await insistOn(this.#name, async () => {
        const edited = pool.query<{ id: string }>(edit, [this.#workspaceId]);
        const { rows } = await edited.catch(() => ({ rows: [] }));
        this.spoilt.push(...rows.map(({ id }) => id));
        return rows.length === 1;
      });
    }
  }

  /** What is wrong at the end: with the spoilt rows, and with those beside them. */
  async problems(pool: Pool, schema: string): Promise<readonly string[]> {
    await this.#insist(this.#asking('POST', 'clock/run-to-idle'));
    await this.#insist(this.#asking('POST', 'settled'));
    const { value } = await this.#insist<WorkspaceSnapshot>(this.#asking('GET', 'snapshot'));
    const { journeyRuns = [], deliveries = [] } = value ?? {};
    const { rows } = await pool.query<{ id: string }>(
      `select s.id from ${schema}.set_aside s join ${schema}.workspaces w on number = workspace where w.id = $1`,
      [this.#workspaceId],
    );
    const aside = new Set(rows.map(({ id }) => id));
    const shown = new Set([...journeyRuns, ...deliveries].map(({ id }) => id));
    return [
      ...this.spoilt.filter((id) => !aside.has(id)).map((id) => `the spoilt ${id} is not set aside`),
      ...this.spoilt.filter((id) => shown.has(id)).map((id) => `the spoilt ${id} is still shown`),
      ...[...aside].filter((id) => !this.spoilt.includes(id)).map((id) => `the sound ${id} is set aside`),
      ...journeyRuns
        .filter(({ status }) => status !== 'finished')
        .map(({ id }) => `the run ${id} has no end`),
      ...deliveries
        .filter(({ status, attempts }) => status !== 'failed' || attempts.length !== 3)
        .map(({ id, status }) => `the delivery ${id} is ${status}, not failed after three attempts`),
      ...(journeyRuns.length === 0 ? ['no sound journey run is left'] : []),
      ...(deliveries.length === 0 ? ['no sound delivery is left'] : []),
    ].map((problem) => `${this.#name}: ${problem}`);
  }

  #asking(method: string, path: string, body?: unknown) {
    return <Value>(origin: string) =>
      askControl<Value>(origin, this.#apiKey, method, path, { body, timeout: 60_000 });
  }

  #insist<Value>(make: (origin: string) => Promise<Value>): Promise<Result<Value>> {
    return insist(this.#name, () => this.#service.caller.call(this.#chance, true, make));
  }
}
