import type { SubscriptionRecord } from '../../server/model/records.js';
import type { IncomingMessage, OutboxEvent, ReceivedMessage } from '../../server/store/store.js';
import {
  Batch,
  byWorkspace,
  Failure,
  type Group,
  grouped,
  inRounds,
  type Outputs,
  type Pending,
} from '../database/batch.js';
import { isNullIn, numberIn, recordIn, writtenIn } from '../database/rows.js';
import { fromText, rowsOf, toText } from '../database/text.js';
import { contactColumns, contactIn, isSame, type ReadContact, upsertedContact } from './contact-batches.js';
import { missingWorkspace, type ReplicaContext } from './replica-context.js';

interface Incoming {
  readonly workspaceId: string;
  readonly message: IncomingMessage;
}

/** The subscriptions of a workspace at the time of the read. */
interface ReadSubscriptions {
  readonly records: readonly SubscriptionRecord[];
  /** Their places, which show whether the subscriptions have changed since. */
  readonly places: string;
}

/** The effects of the messages of one contact. */
interface Composed {
  readonly workspaceId: string;
  readonly subscriptions: ReadSubscriptions;
  readonly read: ReadContact | undefined;
  /** Undefined if no message could be composed. */
  readonly contact: ReadContact['contact'] | undefined;
  readonly events: readonly Addressed[];
  readonly outputs: Outputs<ReceivedMessage>;
}

/** An event, and the enabled subscriptions to it. */
interface Addressed {
  readonly event: OutboxEvent;
  readonly subscriptions: readonly SubscriptionRecord[];
}

/** Combines many messages: reads their contacts and subscriptions, composes the effects, and saves them if nothing changed. */
export class MessageBatch {
  readonly #context: ReplicaContext;
  readonly #batch: Batch<Incoming, ReceivedMessage>;

  constructor(context: ReplicaContext) {
    this.#context = context;
    this.#batch = new Batch(
      (inputs) => inRounds(inputs, (pending) => this.#receive(pending)),
      byWorkspace(context.database),
    );
  }

  receive(workspaceId: string, message: IncomingMessage): Promise<ReceivedMessage> {
    return this.#batch.add({ workspaceId, message });
  }

  async #receive(pending: readonly Pending<Incoming>[]): Promise<Outputs<ReceivedMessage>> {
    const groups = grouped(pending, ({ workspaceId, message }) => [workspaceId, message.contact.phone]);
    const { contacts, subscriptions } = await this.#read(groups.map(([{ input }]) => input));
    const outputs = new Map<number, ReceivedMessage | Failure>();
    const composed = groups.flatMap((group, place) => {
      const { workspaceId } = group[0].input;
      const theirs = subscriptions.get(workspaceId);
      if (theirs !== undefined) return composedInTurn(workspaceId, contacts.get(place), theirs, group);
      for (const { index } of group) outputs.set(index, new Failure(missingWorkspace()));
      return [];
    });
    for (const saved of await this.#saved(composed)) {
      for (const [index, output] of saved.outputs) outputs.set(index, output);
    }
    return outputs;
  }

  /** Reads the contacts by the index of the message, and the subscriptions of the existing workspaces. */
  async #read(messages: readonly Incoming[]) {
    const { database, setAside } = this.#context;
    const rows = await database.query(
      `select g.index::int, g.workspace_id, ${contactColumns}, null::text as record, null::bigint as place
       from ${rowsOf('$1::text[]', '$2::text[]')} as g (workspace_id, phone, index)
         join :schema.workspaces w on w.id = g.workspace_id
         join :schema.contacts c on c.workspace = w.number and c.phone = g.phone
       union all
       select null, w.id, s.id, null, null, null, null, s.record::text, s.place
       from :schema.workspaces w left join lateral (
         -- In an order, so that the planner reads them for each workspace, and not those of all workspaces.
         select * from :schema.subscriptions where workspace = w.number order by place
       ) s on true
       where w.id = any ((select $3::text[])::text[])`,
      [
        messages.map(({ workspaceId }) => toText(workspaceId)),
        messages.map(({ message }) => toText(message.contact.phone)),
        [...new Set(messages.map(({ workspaceId }) => toText(workspaceId)))],
      ],
      'read_for_messages',
    );
    const contacts = new Map<number, ReadContact>();
    const placed = new Map<string, { place: number; record: SubscriptionRecord }[]>();
    for (const row of rows) {
      const workspace = writtenIn(row, 'workspace_id');
      if (!isNullIn(row, 'index')) {
        const contact = await setAside.read('contacts', fromText(workspace), row, contactIn);
        if (contact !== undefined) contacts.set(numberIn(row, 'index') - 1, contact);
        continue;
      }
      const known = placed.get(workspace) ?? [];
      placed.set(workspace, known);
      if (isNullIn(row, 'place')) continue;
      const record = await setAside.read(
        'subscriptions',
        fromText(workspace),
        row,
        recordIn<SubscriptionRecord>,
      );
      if (record !== undefined) known.push({ place: numberIn(row, 'place'), record });
    }
    const subscriptions = new Map<string, ReadSubscriptions>();
    for (const { workspaceId } of messages) {
      const inOrder = placed.get(toText(workspaceId))?.sort((a, b) => a.place - b.place);
      if (inOrder === undefined) continue;
      subscriptions.set(workspaceId, {
        records: inOrder.map(({ record }) => record),
        places: inOrder.map(({ place }) => place).join(','),
      });
    }
    return { contacts, subscriptions };
  }

  /** Saves the effects, and returns those without a conflict. */
  async #saved(composed: readonly Composed[]): Promise<readonly Composed[]> {
    const writing = composed.filter((each) => each.events.length > 0 || changeOf(each) !== 'keep');
    const saved = writing.length === 0 ? new Set<Composed>() : await this.#save(writing);
    const lost = new Set(writing.filter((each) => !saved.has(each)));
    return composed.filter((each) => !lost.has(each));
  }

  async #save(composed: readonly Composed[]): Promise<ReadonlySet<Composed>> {
    const events = composed.flatMap((each, place) =>
      each.events.map((addressed) => ({ ...addressed, place })),
    );
    const deliveries = events.flatMap(({ event, subscriptions }, index) =>
      subscriptions.map((subscription) => ({ index, id: event.newDeliveryId(), subscription })),
    );
    const bodies = events.map(({ event }) => event.body);
    let length = 0;
    const offsets = bodies.map((body) => {
      length += body.length;
      return length - body.length;
    });
    const rows = await this.#context.database.query(
      `select saved from :schema.save_messages(
         $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18
       ) as saved`,
      [
        composed.map(({ workspaceId }) => toText(workspaceId)),
        composed.map(({ subscriptions }) => subscriptions.places),
        composed.map(changeOf),
        composed.map(({ contact }) => toText(contact?.id ?? '')),
        composed.map(({ read }) => read?.version ?? 0),
        composed.map(({ contact }) => toText(contact?.phone ?? '')),
        composed.map(({ contact }) => contact?.consent ?? 'unknown'),
        composed.map(({ contact }) => JSON.stringify(contact?.properties ?? {})),
        events.map(({ place }) => place + 1),
        events.map(({ event }) => event.type),
        events.map(({ event }) => event.createdAt),
        offsets,
        bodies.map((body) => body.length),
        Buffer.concat(bodies),
        deliveries.map(({ index }) => index + 1),
        deliveries.map(({ id }) => toText(id)),
        deliveries.map(({ subscription }) => toText(subscription.id)),
        deliveries.map(({ subscription }) => toText(subscription.url)),
      ],
      'save_messages',
    );
    return new Set(rows.flatMap((row) => composed[numberIn(row, 'saved') - 1] ?? []));
  }
}

/** Returns how to change the contact. */
function changeOf({ read, contact }: Composed): 'add' | 'change' | 'keep' {
  if (contact === undefined) return 'keep';
  if (read === undefined) return 'add';
  return isSame(read.contact, contact) ? 'keep' : 'change';
}

/** Composes the messages of a contact in order. A message that cannot be composed changes nothing. */
function composedInTurn(
  workspaceId: string,
  read: ReadContact | undefined,
  subscriptions: ReadSubscriptions,
  group: Group<Incoming>,
): Composed {
  let contact = read?.contact;
  const events: Addressed[] = [];
  const outputs = new Map<number, ReceivedMessage | Failure>();
  for (const { index, input } of group) {
    const { contact: sender, consent, compose } = input.message;
    const { contact: known, created } = upsertedContact(contact, sender, 'merge');
    const consentChanged = consent !== undefined && known.consent !== consent;
    const after = consentChanged ? { ...known, consent } : known;
    try {
      const added = compose(after, consentChanged)
        .map((event) => addressed(event, subscriptions))
        .filter((each) => each.subscriptions.length > 0);
      events.push(...added);
      const subscriptionIds = [
        ...new Set(added.flatMap((each) => each.subscriptions.map((subscription) => subscription.id))),
      ];
      outputs.set(index, { contact: after, created, consentChanged, subscriptionIds });
      contact = after;
    } catch (error) {
      outputs.set(index, new Failure(error));
    }
  }
  return { workspaceId, subscriptions, read, contact, events, outputs };
}

function addressed(event: OutboxEvent, { records }: ReadSubscriptions): Addressed {
  return {
    event,
    subscriptions: records.filter(({ enabled, events }) => enabled && events.includes(event.type)),
  };
}
