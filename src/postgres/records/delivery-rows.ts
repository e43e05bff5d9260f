import { webhookEventTypes } from '../../contract/webhook-event-type.js';
import type { AttemptRecord, DeliveryRecord, DeliveryStatus } from '../../server/model/records.js';
import type { Queryable } from '../database/connection.js';
import {
  bytesIn,
  numberIn,
  objectIn,
  oneOfIn,
  optionalNumberIn,
  optionalTextIn,
  textIn,
} from '../database/rows.js';
import { rowsOf, toText } from '../database/text.js';

export const deliveryStatuses: readonly DeliveryStatus[] = ['pending', 'delivered', 'failed', 'cancelled'];

/** The columns of a delivery `d` and its message `m`. */
export const deliveryColumns = `d.id, d.subscription_id, m.event, d.url, m.body, d.status,
  array_to_json(d.attempts)::text as attempts, d.redelivery_of, d.due_at, m.created_at`;

/**
 * SQL: joins the message of each delivery `d`. With `offset 0`, PostgreSQL looks up one message for each delivery. As a plain join, it
 * sometimes read all messages of the workspace first.
 */
export const withMessage = `cross join lateral (
    select event, body, created_at from :schema.messages
    where workspace = d.workspace and place = :schema.message_of(d.place) offset 0
  ) m`;

export function deliveryIn(row: unknown): DeliveryRecord {
  const redeliveryOf = optionalTextIn(row, 'redelivery_of');
  const dueAt = optionalNumberIn(row, 'due_at');
  return {
    id: textIn(row, 'id'),
    subscriptionId: textIn(row, 'subscription_id'),
    event: oneOfIn(row, 'event', webhookEventTypes),
    url: textIn(row, 'url'),
    body: bytesIn(row, 'body'),
    status: oneOfIn(row, 'status', deliveryStatuses),
    attempts: objectIn<readonly AttemptRecord[]>(row, 'attempts'),
    ...(redeliveryOf !== undefined && { redeliveryOf }),
    ...(dueAt !== undefined && { dueAt }),
    createdAt: numberIn(row, 'created_at'),
  };
}

/** Reads the deliveries of a workspace, also those that are no rows yet. */
export function readDeliveries(transaction: Queryable, workspace: string): Promise<readonly unknown[]> {
  return transaction.query(
    `select ${deliveryColumns}
     from (
         select d.workspace, d.place, d.id, d.subscription_id, d.url, d.status, d.attempts, d.redelivery_of, d.due_at
         from :schema.workspaces w join :schema.deliveries d on d.workspace = w.number
         where w.id = $1
         union all
         select w.number, f.place + target.index - 1, f.ids[target.index], s.id, s.url, 'pending', '{}', null, f.created_at
         from :schema.workspaces w
           join :schema.subscriptions s on s.workspace = w.number
           left join :schema.cursors c on c.workspace = w.number and c.subscription_id = s.id
           join :schema.fan_outs f on f.workspace = w.number and f.place > coalesce(c.reached, 0)
           cross join lateral (select array_position(f.subscriptions, s.place) as index) target
         where w.id = $1 and target.index is not null
       ) d
       ${withMessage}
     order by d.place`,
    [workspace],
  );
}

/** Inserts deliveries, each with a message of its own. */
export async function insertDeliveries(
  transaction: Queryable,
  workspaceNumber: string,
  deliveries: readonly DeliveryRecord[],
): Promise<void> {
  await transaction.query(
    `with given as (
       select * from ${rowsOf(
         '$2::text[]',
         '$3::text[]',
         '$4::text[]',
         '$5::text[]',
         '$6::bytea[]',
         '$7::text[]',
         '$8::text[]',
         '$9::text[]',
         '$10::double precision[]',
         '$11::double precision[]',
       )} as g (id, subscription_id, event, url, body, status, attempts, redelivery_of, due_at, created_at, index)
     ),
     added as (
       insert into :schema.messages (workspace, event, body, created_at)
       select $1, event, body, created_at from given order by index
       returning place
     )
     insert into :schema.deliveries (workspace, place, id, subscription_id, url, status, attempts, redelivery_of, due_at)
     select $1, a.place, g.id, g.subscription_id, g.url, g.status, g.attempts::json[], g.redelivery_of, g.due_at
     from given g join (select place, row_number() over (order by place) as index from added) a on a.index = g.index
     order by g.index`,
    [
      workspaceNumber,
      deliveries.map(({ id }) => toText(id)),
      deliveries.map(({ subscriptionId }) => toText(subscriptionId)),
      deliveries.map(({ event }) => event),
      deliveries.map(({ url }) => toText(url)),
      deliveries.map(({ body }) => Buffer.from(body)),
      deliveries.map(({ status }) => status),
      // One text for the attempts of each, because SQL cannot unnest lists from a list.
      deliveries.map(({ attempts }) => arrayText(attempts)),
      deliveries.map(({ redeliveryOf }) => (redeliveryOf === undefined ? null : toText(redeliveryOf))),
      deliveries.map((it) => (it.status === 'pending' ? (it.dueAt ?? it.createdAt) : null)),
      deliveries.map(({ createdAt }) => createdAt),
    ],
  );
}

/** Writes an array of PostgreSQL whose elements are JSON. The syntax of an element in quotes is that of JSON. */
function arrayText(values: readonly unknown[]): string {
  return `{${values.map((value) => JSON.stringify(JSON.stringify(value))).join()}}`;
}
