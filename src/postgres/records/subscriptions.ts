import type { SubscriptionRecord } from '../../server/model/records.js';
import type { SubscriptionStore } from '../../server/store/store.js';
import { booleanIn, recordIn } from '../database/rows.js';
import { toText } from '../database/text.js';
import { WorkspacePart } from './workspace-part.js';

/** One workspace's webhook subscriptions. */
export class PostgresSubscriptions extends WorkspacePart implements SubscriptionStore {
  async create(subscription: SubscriptionRecord): Promise<void> {
    await this.context.database.query(
      `with created as (
         insert into :schema.subscriptions (workspace, id, url, record)
         select w.number, $2, $3, $4 from :schema.workspaces w where w.id = $1
         on conflict (workspace, id) do update set url = excluded.url, record = excluded.record
         returning workspace, id
       )
       -- No earlier message is for it.
       insert into :schema.cursors (workspace, subscription_id, reached)
       select c.workspace, c.id, coalesce(
         (select f.place from :schema.fan_outs f where f.workspace = c.workspace order by f.place desc limit 1), 0
       )
       from created c
       on conflict do nothing`,
      [
        this.context.workspace,
        toText(subscription.id),
        toText(subscription.url),
        JSON.stringify(subscription),
      ],
    );
  }

  async list(): Promise<readonly SubscriptionRecord[]> {
    const { database, setAside } = this.context;
    const rows = await database.query(
      `select s.id, s.record::text
       from :schema.workspaces w join :schema.subscriptions s on s.workspace = w.number
       where w.id = $1
       order by s.place`,
      [this.context.workspace],
      'list_subscriptions',
    );
    return setAside.readAll('subscriptions', rows, recordIn<SubscriptionRecord>);
  }

  /** Deletes the subscription, and cancels its pending deliveries. */
  async delete(subscriptionId: string): Promise<boolean> {
    const [row] = await this.context.database.query(
      'select :schema.delete_subscription($1, $2) as deleted',
      [this.context.workspace, toText(subscriptionId)],
      'delete_subscription',
    );
    return booleanIn(row, 'deleted');
  }
}
