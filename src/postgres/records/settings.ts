import type { JsonValue } from '../../server/model/fault.js';
import type { MarkedSettings, SettingsStore, StoredSettings } from '../../server/store/shared-store.js';
import { jsonIn, numberIn, writtenIn } from '../database/rows.js';
import { isSame } from './replica-context.js';
import { toColumns } from './state.js';
import { WorkspacePart } from './workspace-part.js';

/** The settings of a workspace. */
export class SettingsRow extends WorkspacePart implements SettingsStore {
  async read(): Promise<MarkedSettings | undefined> {
    const { database, workspace, identity } = this.context;
    const [row] = await database.query(
      `
select number, mark::text as mark, clock_flow, clock_position, settings::text as settings
from :schema.workspaces
where id = $1 and ${isSame('number', 2)}`,
      [workspace, identity.number ?? null],
      'settings_read',
    );
    if (row === undefined) return undefined;
    identity.number ??= numberIn(row, 'number');
    const position = numberIn(row, 'clock_position');
    return {
      mark: writtenIn(row, 'mark'),
      clock:
        writtenIn(row, 'clock_flow') === 'frozen'
          ? { flow: 'frozen', now: position }
          : { flow: 'flowing', ahead: position },
      settings: jsonIn<JsonValue>(row, 'settings'),
    };
  }

  async replace(mark: string, { clock, settings }: StoredSettings): Promise<string | undefined> {
    const { database, workspace, identity } = this.context;
    const [flow, position] = toColumns(clock);
    const [row] = await database.query(
      `
update :schema.workspaces
set mark = gen_random_uuid(), clock_flow = $4, clock_position = $5, settings = $6
where id = $1 and ${isSame('number', 2)} and mark = $3
returning mark::text as mark, :schema.tell(id, 'settings')`,
      [workspace, identity.number ?? null, mark, flow, position, JSON.stringify(settings)],
      'settings_replace',
    );
    return row === undefined ? undefined : writtenIn(row, 'mark');
  }

  async readInitialState(): Promise<JsonValue | undefined> {
    const { database, workspace, identity } = this.context;
    const [row] = await database.query(
      `
select coalesce(initial_state::text, 'null') as initial_state
from :schema.workspaces
where id = $1 and ${isSame('number', 2)}`,
      [workspace, identity.number ?? null],
    );
    return row === undefined ? undefined : jsonIn<JsonValue>(row, 'initial_state');
  }
}
