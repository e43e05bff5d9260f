import { webhookEventTypes } from '../../contract/webhook-event-type.js';
import type { AttemptRecord, DeliveryRecord, DeliveryStatus } from '../../server/model/records.js';
import {
  bytesIn,
  numberIn,
  objectIn,
  oneOfIn,
  optionalNumberIn,
  optionalTextIn,
  textIn,
} from '../database/rows.js';

const statuses: readonly DeliveryStatus[] = ['pending', 'delivered', 'failed', 'cancelled'];

export const deliveryColumns = `d.id, d.subscription_id, d.event, d.url, d.body, d.status,
  array_to_json(d.attempts)::text as attempts, d.redelivery_of, d.due_at, d.created_at`;

export function deliveryIn(row: unknown): DeliveryRecord {
  const redeliveryOf = optionalTextIn(row, 'redelivery_of');
  const dueAt = optionalNumberIn(row, 'due_at');
  return {
    id: textIn(row, 'id'),
    subscriptionId: textIn(row, 'subscription_id'),
    event: oneOfIn(row, 'event', webhookEventTypes),
    url: textIn(row, 'url'),
    body: bytesIn(row, 'body'),
    status: deliveryStatusIn(row),
    attempts: objectIn<readonly AttemptRecord[]>(row, 'attempts'),
    ...(redeliveryOf !== undefined && { redeliveryOf }),
    ...(dueAt !== undefined && { dueAt }),
    createdAt: numberIn(row, 'created_at'),
  };
}

export function deliveryStatusIn(row: unknown): DeliveryStatus {
  return oneOfIn(row, 'status', statuses);
}
