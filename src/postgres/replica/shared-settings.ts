import type { JsonValue } from '../../server/model/fault.js';
import type {
  MoveStart,
  RevisedSettings,
  SettingsStore,
  SharedSettings,
} from '../../server/store/shared-store.js';
import { booleanIn, jsonIn, numberIn, writtenIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import { toColumns } from '../records/state.js';
import { isSame, type ReplicaParts, type WorkspaceIdentity } from './replica-parts.js';

type SettingsParts = Pick<ReplicaParts, 'database' | 'replica' | 'lease'>;

const columns = 'number, revision, clock_flow, clock_position, settings::text as settings';

/** The shared settings of all workspaces, and this replica's moves of their clocks. */
export class AllSettings {
  readonly #parts: SettingsParts;
  /** The workspaces whose clocks this replica is moving. */
  readonly #moving = new Set<string>();

  constructor(parts: SettingsParts) {
    this.#parts = parts;
  }

  of(workspaceId: string, identity: WorkspaceIdentity): SettingsStore {
    return {
      read: () => this.#read(workspaceId, identity),
      change: (decide) => this.#change(workspaceId, identity, decide),
      readInitialState: () => this.#readInitialState(workspaceId, identity),
      beginMove: () => this.#beginMove(workspaceId, identity),
      endMove: () => this.#endMove(workspaceId),
    };
  }

  /** Renews the leases of this replica's moves. */
  async renewMoves(): Promise<void> {
    if (this.#moving.size === 0) return;
    const { database, replica, lease } = this.#parts;
    await database.query(
      `
update :schema.workspaces
set mover_until = clock_timestamp() + $3 * interval '1 millisecond'
where id = any($1) and mover = $2`,
      [[...this.#moving].map(toText), replica, lease],
    );
  }

  async endMoves(): Promise<void> {
    for (const workspaceId of [...this.#moving]) await this.#endMove(workspaceId);
  }

  async #read(workspaceId: string, identity: WorkspaceIdentity): Promise<RevisedSettings | undefined> {
    const [row] = await this.#parts.database.query(
      `select ${columns} from :schema.workspaces where id = $1 and ${isSame('number', 2)}`,
      [toText(workspaceId), identity.number ?? null],
      'settings_read',
    );
    if (row === undefined) return undefined;
    identity.number ??= numberIn(row, 'number');
    return { ...sharedSettingsOf(row), revision: numberIn(row, 'revision') };
  }

  /** Changes the shared settings. The row lock blocks neither readers nor rows that refer to the workspace. */
  #change(
    workspaceId: string,
    identity: WorkspaceIdentity,
    decide: (now: SharedSettings) => SharedSettings,
  ): Promise<RevisedSettings | undefined> {
    return this.#parts.database.of(workspaceId).transaction(async (transaction) => {
      const [row] = await transaction.query(
        `select ${columns} from :schema.workspaces where id = $1 and ${isSame('number', 2)} for no key update`,
        [toText(workspaceId), identity.number ?? null],
        'settings_lock',
      );
      if (row === undefined) return undefined;
      const before = sharedSettingsOf(row);
      const { clock, settings } = decide(before);
      const revision = numberIn(row, 'revision') + 1;
      const [flow, position] = toColumns(clock);
      await transaction.query(
        `
update :schema.workspaces
set revision = $2, clock_flow = $3, clock_position = $4, settings = $5
where id = $1
returning :schema.tell(id, 'settings')`,
        [toText(workspaceId), revision, flow, position, JSON.stringify(settings)],
        'settings_write',
      );
      const [flowBefore, positionBefore] = toColumns(before.clock);
      // The replica that moves the clock does the due work step by step, and adds the jobs at the end.
      if ((flow !== flowBefore || position !== positionBefore) && !this.#moving.has(workspaceId)) {
        await transaction.query('select :schema.wake_all($1)', [numberIn(row, 'number')], 'wake_all');
      }
      return { clock, settings, revision };
    });
  }

  async #readInitialState(workspaceId: string, identity: WorkspaceIdentity): Promise<JsonValue | undefined> {
    const [row] = await this.#parts.database.query(
      `
select coalesce(initial_state::text, 'null') as initial_state
from :schema.workspaces
where id = $1 and ${isSame('number', 2)}`,
      [toText(workspaceId), identity.number ?? null],
    );
    return row === undefined ? undefined : jsonIn<JsonValue>(row, 'initial_state');
  }

  async #beginMove(workspaceId: string, identity: WorkspaceIdentity): Promise<MoveStart> {
    const { database, replica, lease } = this.#parts;
    const [row] = await database.of(workspaceId).query(
      `
with begun as (
  update :schema.workspaces
  set mover = $2, mover_until = clock_timestamp() + $3 * interval '1 millisecond'
  where id = $1 and ${isSame('number', 4)} and (mover is null or mover = $2 or mover_until <= clock_timestamp())
  returning number
)
select exists (select from begun) as begun
from :schema.workspaces
where id = $1 and ${isSame('number', 4)}`,
      [toText(workspaceId), replica, lease, identity.number ?? null],
      'move_begin',
    );
    if (row === undefined) return 'gone';
    if (!booleanIn(row, 'begun')) return 'busy';
    this.#moving.add(workspaceId);
    return 'begun';
  }

  async #endMove(workspaceId: string): Promise<void> {
    this.#moving.delete(workspaceId);
    await this.#parts.database.query(
      `
with moved as (
  update :schema.workspaces
  set mover = null, mover_until = null
  where id = $1 and mover = $2
  returning number
)
select :schema.wake_all(number) from moved`,
      [toText(workspaceId), this.#parts.replica],
      'move_end',
    );
  }
}

function sharedSettingsOf(row: unknown): SharedSettings {
  const position = numberIn(row, 'clock_position');
  return {
    clock:
      writtenIn(row, 'clock_flow') === 'frozen'
        ? { flow: 'frozen', now: position }
        : { flow: 'flowing', ahead: position },
    settings: jsonIn<JsonValue>(row, 'settings'),
  };
}
