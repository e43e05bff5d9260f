import type { SubscriptionRecord } from '../../server/model/records.js';
import type { IncomingMessage, OutboxEvent, ReceivedMessage } from '../../server/store/store.js';
import { Batch, type CallOutput, conflict, Failure, type Group, grouped } from '../database/batch.js';
import { isNullIn, numberIn, recordIn } from '../database/rows.js';
import { rowsOf, toText } from '../database/text.js';
import {
  contactColumns,
  contactIn,
  isSame,
  type ReadContact,
  refuseTakenId,
  upsertedContact,
} from './contacts.js';
import { missingWorkspace } from './replica-context.js';
import { WorkspacePart } from './workspace-part.js';

/** The effects of the messages of one contact. */
interface Composed {
  readonly read: ReadContact | undefined;
  /** Undefined if no message could be composed. */
  readonly contact: ReadContact['contact'] | undefined;
  readonly events: readonly Addressed[];
  readonly outputs: ReadonlyMap<number, ReceivedMessage | Failure>;
}

/** An event, and the enabled subscriptions to it. */
interface Addressed {
  readonly event: OutboxEvent;
  readonly subscriptions: readonly PlacedSubscription[];
}

interface PlacedSubscription {
  readonly place: number;
  readonly record: SubscriptionRecord;
}

/** One workspace's incoming messages: reads their contacts and subscriptions, composes the effects, and saves them if nothing changed. */
export class Messages extends WorkspacePart {
  readonly #batch = new Batch((messages: readonly IncomingMessage[]) => this.#receive(messages));

  receive(message: IncomingMessage): Promise<ReceivedMessage> {
    return this.#batch.add(message);
  }

  async #receive(messages: readonly IncomingMessage[]): Promise<readonly CallOutput<ReceivedMessage>[]> {
    const groups = grouped(messages.entries(), ({ contact }) => contact.phone);
    const { contacts, subscriptions, places } = await this.#read(
      groups.map(([[, { contact }]]) => contact.phone),
    );
    const composed = groups.map((group, place) => composedInTurn(contacts.get(place), subscriptions, group));
    const writing = composed.filter((each) => each.events.length > 0 || changeOf(each) !== 'keep');
    const saved = writing.length === 0 ? new Set<Composed>() : await this.#save(writing, places);
    const lost = new Set(writing.filter((each) => !saved.has(each)));
    const outputs = new Map(composed.filter((each) => !lost.has(each)).flatMap((each) => [...each.outputs]));
    return messages.map((_, index) => outputs.get(index) ?? conflict);
  }

  /** Reads the contacts by the index of the phone, and the subscriptions. Their places show whether they have changed since. */
  async #read(phones: readonly string[]) {
    const { database, workspace, setAside } = this.context;
    const rows = await database.query(
      `select g.index::int, ${contactColumns}, null::text as record, null::bigint as place
       from ${rowsOf('$2::text[]')} as g (phone, index)
         join :schema.workspaces w on w.id = $1
         join :schema.contacts c on c.workspace = w.number and c.phone = g.phone
       union all
       select null, s.id, null, null, null, null, s.record::text, s.place
       from :schema.workspaces w left join lateral (
         -- In an order, so that the planner reads them for each workspace, and not those of all workspaces.
         select * from :schema.subscriptions where workspace = w.number order by place
       ) s on true
       where w.id = $1`,
      [workspace, phones.map(toText)],
      'read_for_messages',
    );
    if (rows.length === 0) throw missingWorkspace();
    const contacts = new Map<number, ReadContact>();
    const subscriptions: PlacedSubscription[] = [];
    for (const row of rows) {
      if (!isNullIn(row, 'index')) {
        const contact = await setAside.read('contacts', row, contactIn);
        if (contact !== undefined) contacts.set(numberIn(row, 'index') - 1, contact);
      } else if (!isNullIn(row, 'place')) {
        const record = await setAside.read('subscriptions', row, recordIn<SubscriptionRecord>);
        if (record !== undefined) subscriptions.push({ place: numberIn(row, 'place'), record });
      }
    }
    subscriptions.sort((a, b) => a.place - b.place);
    return { contacts, subscriptions, places: subscriptions.map(({ place }) => place).join(',') };
  }

  /** Saves the effects, and returns those without a conflict. */
  async #save(composed: readonly Composed[], places: string): Promise<ReadonlySet<Composed>> {
    const { database, workspace } = this.context;
    const events = composed.flatMap((each, place) =>
      each.events.map((addressed) => ({ ...addressed, place })),
    );
    const deliveries = events.flatMap(({ event, subscriptions }, index) =>
      subscriptions.map(({ place }) => ({ index, id: event.newDeliveryId(), place })),
    );
    const bodies = events.map(({ event }) => event.body);
    let length = 0;
    const offsets = bodies.map((body) => {
      length += body.length;
      return length - body.length;
    });
    const saving = database.query(
      `select saved from :schema.save_messages(
         $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17
       ) as saved`,
      [
        workspace,
        places,
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
        deliveries.map(({ place }) => place),
      ],
      'save_messages',
    );
    const rows = await saving.catch(refuseTakenId);
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
  read: ReadContact | undefined,
  subscriptions: readonly PlacedSubscription[],
  group: Group<IncomingMessage>,
): Composed {
  let contact = read?.contact;
  const events: Addressed[] = [];
  const outputs = new Map<number, ReceivedMessage | Failure>();
  for (const [index, { contact: sender, consent, compose }] of group) {
    const { contact: known, created } = upsertedContact(contact, sender, 'merge');
    const consentChanged = consent !== undefined && known.consent !== consent;
    const after = consentChanged ? { ...known, consent } : known;
    try {
      const added = compose(after, consentChanged)
        .map((event) => ({
          event,
          subscriptions: subscriptions.filter(
            ({ record }) => record.enabled && record.events.includes(event.type),
          ),
        }))
        .filter((each) => each.subscriptions.length > 0);
      events.push(...added);
      const subscriptionIds = [
        ...new Set(added.flatMap((each) => each.subscriptions.map(({ record }) => record.id))),
      ];
      outputs.set(index, { contact: after, created, consentChanged, subscriptionIds });
      contact = after;
    } catch (error) {
      outputs.set(index, new Failure(error));
    }
  }
  return { read, contact, events, outputs };
}
