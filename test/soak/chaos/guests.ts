import { setTimeout as wait } from 'node:timers/promises';
import { MessagingAutomation } from 'messaging-automation';
import type { Pool } from 'pg';
import { Chance } from '../chance.js';
import { askControl, type FailedRequest, failureOf, insistOn } from '../control.js';

export interface GuestsOptions {
  readonly seed: number;
  /** The key of the first workspace, which creates and deletes the others. */
  readonly apiKey: string;
  readonly origins: readonly string[];
  /** Where their deliveries go. Nobody accounts for them. */
  readonly receiverUrl: string;
}

interface Guest {
  readonly workspaceId: string;
  readonly apiKey: string;
}

const phone = '+15550199000';
const journey = { id: 'welcome', event: 'joined', steps: [{ wait: '20s' }, { send: 'hello' }] };
const writers = 3;

/** How long the replicas have to remove the rows of a deleted workspace. In milliseconds. */
const timeToRemove = 60_000;

/** Workspaces that are restored, reset and deleted while others write to them. They have no accounts: nothing may be left of them. */
export class Guests {
  /** How many have come and gone. */
  gone = 0;
  readonly #options: GuestsOptions;
  readonly #chance: Chance;
  readonly #deleted: Guest[] = [];
  readonly #problems = new Set<string>();
  /** One guest after the other. */
  #turn = Promise.resolve();

  constructor(options: GuestsOptions) {
    this.#options = options;
    this.#chance = new Chance(options.seed, 5);
  }

  async comeAndGo(goesOn: () => boolean): Promise<void> {
    while (goesOn()) await this.#inTurn(() => this.#comeAndGoOnce());
  }

  /** Does something while nobody is here. */
  async without(act: () => Promise<void>): Promise<void> {
    await this.#inTurn(act);
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => {});
    return done;
  }

  async #comeAndGoOnce(): Promise<void> {
    const name = `guest_${this.#options.seed}_${this.gone + 1}`;
    const guest = { workspaceId: `workspace_${name}`, apiKey: `key_${name}` };
    await this.#insist(() => this.#create(guest), 409);
    let isOpen = true;
    const writing = Array.from({ length: writers }, async () => {
      while (isOpen) {
        await this.#write(guest);
        await wait(this.#chance.between(5, 60));
      }
    });
    for (let time = 0; time < 4; time += 1) {
      await wait(this.#chance.between(50, 400));
      await this.#replace(guest);
    }
    const path = `workspaces/${guest.workspaceId}`;
    await this.#insist(() => this.#ask(this.#options.apiKey, 'DELETE', path), 404);
    isOpen = false;
    await Promise.all(writing);
    this.#deleted.push(guest);
    this.gone += 1;
  }

  /** What is left of those that have gone, and each failure that no disruption explains. */
  async problems(pool: Pool, schema: string): Promise<readonly string[]> {
    const problems = [...this.#problems];
    for (const { workspaceId, apiKey } of this.#deleted) {
      for (const origin of this.#options.origins) {
        const failure = await askControl(origin, apiKey, 'GET', 'clock').then(() => undefined, failureOf);
        if (failure?.status !== 401) problems.push(`${origin} still opens the deleted ${workspaceId}`);
      }
    }
    const endsAt = performance.now() + timeToRemove;
    for (;;) {
      const { rows } = await pool.query<{ id: string }>(
        `select id from ${schema}.workspaces where id like 'workspace_guest%' or deleted_at is not null`,
      );
      if (rows.length === 0) return problems;
      if (performance.now() > endsAt) {
        return [...problems, ...rows.map(({ id }) => `the deleted ${id} still has rows`)];
      }
      await wait(500);
    }
  }

  #create({ workspaceId, apiKey }: Guest): Promise<unknown> {
    const managedWebhooks = [{ url: this.#options.receiverUrl, events: ['message.received'] }];
    const templates = [{ id: 'hello', body: 'Hello' }];
    const contacts = [{ phone }];
    const body = {
      workspaceId,
      apiKey,
      managedWebhooks,
      templates,
      contacts,
      journeys: [journey],
      quota: 50,
    };
    return this.#ask(this.#options.apiKey, 'POST', 'workspaces', body);
  }

  async #write({ apiKey }: Guest): Promise<void> {
    await this.#try(
      this.#chance.in(0.5)
        ? () => this.#ask(apiKey, 'POST', 'inbound-messages', { phone, body: 'Hello' })
        : () =>
            new MessagingAutomation({ apiKey, baseUrl: `${this.#origin()}/api`, retries: 0 }).events.track({
              event: 'joined',
              phone,
            }),
    );
  }

  /** Replaces the content: by a snapshot of a moment ago, or by the seed. */
  async #replace({ apiKey }: Guest): Promise<void> {
    if (this.#chance.in(0.4)) {
      await this.#try(() => this.#ask(apiKey, 'POST', 'reset'));
      return;
    }
    const snapshot = await this.#try(() => this.#ask(apiKey, 'GET', 'snapshot'));
    await wait(this.#chance.between(5, 100));
    if (snapshot !== undefined) await this.#try(() => this.#ask(apiKey, 'PUT', 'snapshot', snapshot));
  }

  #origin(): string {
    const [first = '', ...others] = this.#options.origins;
    return this.#chance.pick([first, ...others]);
  }

  #ask(apiKey: string, method: string, path: string, body?: unknown): Promise<unknown> {
    return askControl(this.#origin(), apiKey, method, path, { body, timeout: 20_000 });
  }

  #insist(act: () => Promise<unknown>, alsoDone: number): Promise<void> {
    return insistOn('A guest', async () => {
      let failure: FailedRequest | undefined;
      await this.#try(act, (failed) => {
        failure = failed;
      });
      return failure === undefined || failure.status === alsoDone;
    });
  }

  /** Undefined if it failed. A 503 or no response is the right one during a disruption; another 5xx never is. */
  async #try(
    act: () => Promise<unknown>,
    onFailure: (failure: FailedRequest) => void = () => {},
  ): Promise<unknown> {
    try {
      return (await act()) ?? null;
    } catch (error) {
      const failure = failureOf(error);
      const { status = 0, message } = failure;
      if (status >= 500 && status !== 503) this.#problems.add(`a guest got ${message.slice(0, 400)}`);
      onFailure(failure);
      return undefined;
    }
  }
}
