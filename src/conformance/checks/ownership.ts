import { operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { checkGroup } from '../check-group.js';
import { type ConformanceRun, contactNeeded, type OwnContact } from '../conformance-run.js';
import { subscriptionIdIn } from '../created-resources.js';
import type { SeenContact } from '../exchange/contact.js';
import { fieldOf } from '../exchange/json.js';
import { lists } from '../exchange/list.js';
import {
  describeStatus,
  isRefusedKey,
  isSuccess,
  type NotRequested,
  notRequested,
  type Outcome,
} from '../exchange/outcome.js';
import { broken, holds, type Judgement, notChecked } from '../judgement.js';
import { showsContact } from './read-contact.js';
import { needsSend, sendTo } from './send.js';

const otherKeyNeeded = notRequested('the key of another workspace', 'otherApiKey');
const otherKeyRefused = notRequested('a key of another workspace that the deployment accepts', 'otherApiKey');
const given = { conformance_name: 'Ada' };
const changed = { conformance_name: 'Grace' };

interface Observed {
  /** Whether the deployment accepts the other key. If not, a refusal shows nothing about workspaces. */
  readonly isKeyAccepted: boolean;
  readonly contact: OwnContact | undefined;
  readonly found: Outcome;
  readonly got: Outcome;
  readonly updated: Effect;
  readonly deleted: Effect;
  readonly sent: Outcome;
  readonly tracked: readonly Outcome[];
  readonly subscriptionId: string | undefined;
  readonly listed: Outcome;
  readonly unsubscribed: Effect;
}

/** The effect of a request with the other key, as the owning workspace shows it. */
interface Effect {
  readonly outcome: Outcome;
  /** `undefined` if the run cannot see it. */
  readonly hadEffect: boolean | undefined;
}

/** §5, the workspace: uses another workspace's key for data of this workspace. Creates nothing in the other workspace. */
async function observe(run: ConformanceRun): Promise<Observed> {
  const { otherApiKey } = run.settings;
  const { contact } = run;
  if (otherApiKey === undefined || contact === undefined) {
    return nothing(contact, otherApiKey === undefined ? otherKeyNeeded : contactNeeded);
  }
  const accepted = await run.request(operations.templates.list, { apiKey: otherApiKey });
  const found = await run.find(contact.phone, otherApiKey);
  const got = await run.get(contact.id, otherApiKey);
  const tracked = [
    await run.track({ contactId: contact.id }, { apiKey: otherApiKey }),
    // If the other workspace has a contact with this phone, it accepts the event correctly.
    ...(isSuccess(found) && !showsContact(found, [contact.id])
      ? []
      : [await run.track({ phone: contact.phone }, { apiKey: otherApiKey })]),
  ];
  const changes = await changeContact(run, otherApiKey);
  const sent = await send(run, otherApiKey);
  const subscription = await changeSubscription(run, otherApiKey);
  const isKeyAccepted = [accepted, found, got, ...tracked].some(
    (outcome) => outcome.kind === 'response' && !isRefusedKey(outcome),
  );
  return { isKeyAccepted, contact, found, got, ...changes, sent, tracked, ...subscription };
}

function nothing(contact: OwnContact | undefined, outcome: NotRequested): Observed {
  const effect: Effect = { outcome, hadEffect: undefined };
  return {
    isKeyAccepted: false,
    contact,
    found: outcome,
    got: outcome,
    updated: effect,
    deleted: effect,
    sent: outcome,
    tracked: [outcome],
    subscriptionId: undefined,
    listed: outcome,
    unsubscribed: effect,
  };
}

/** Updates and deletes a contact with the other key, and reads it afterwards with the key of its workspace. */
async function changeContact(run: ConformanceRun, otherApiKey: string) {
  const contact = await run.newContact(given);
  const update = await run.update(contact?.id, changed, otherApiKey);
  const afterUpdate = contact && (await run.read(contact));
  const name = nameOf(afterUpdate);
  const remove =
    contact === undefined
      ? contactNeeded
      : await run.request(operations.contacts.delete, { id: contact.id, apiKey: otherApiKey });
  const afterDelete = contact && (await run.read(contact));
  return {
    updated: {
      outcome: update,
      hadEffect: name === undefined ? undefined : name === changed.conformance_name,
    },
    deleted: {
      outcome: remove,
      hadEffect: afterUpdate === undefined ? undefined : afterDelete === undefined,
    },
  };
}

const nameOf = (contact: SeenContact | undefined) => fieldOf(contact?.properties, 'conformance_name');

/** Requests a send to a contact of this workspace, if the other workspace has no contact with the phone. */
async function send(run: ConformanceRun, otherApiKey: string): Promise<Outcome> {
  const message = run.settings.send;
  if (message === undefined) return needsSend;
  if (!(await run.makeReachable(message.phone))) return notRequested('a contact with the phone to send to');
  const found = await run.find(message.phone, otherApiKey);
  if (found.kind !== 'response' || isSuccess(found)) {
    return notRequested('another workspace that has no contact with the phone to send to', 'otherApiKey');
  }
  return sendTo(run, message, otherApiKey);
}

/** Lists and deletes a subscription of this workspace with the other key. */
async function changeSubscription(run: ConformanceRun, otherApiKey: string) {
  const { list, delete: remove } = operations.webhooks;
  const made = await run.subscribe({ url: run.settings.webhookUrl, events: ['message.received'] });
  const id = subscriptionIdIn(made);
  if (id === undefined) {
    const outcome = made.kind === 'not_requested' ? made : notRequested('a subscription that can be created');
    return { subscriptionId: id, listed: outcome, unsubscribed: { outcome, hadEffect: undefined } };
  }
  const listed = await run.request(list, { apiKey: otherApiKey });
  const before = lists(await run.request(list), id);
  const outcome = await run.request(remove, { id, apiKey: otherApiKey });
  const after = lists(await run.request(list), id);
  await run.unsubscribe(made);
  return {
    subscriptionId: id,
    listed,
    unsubscribed: { outcome, hadEffect: before === true && after !== undefined ? !after : undefined },
  };
}

export const ownership = checkGroup<Observed>({
  observe,
  checks: [
    {
      statement: statements.contactsOwned,
      judge: ({ contact, found, got, ...rest }) =>
        judgeKept(rest, [found, got], 'neither found nor returned', (outcome) =>
          showsContact(outcome, [contact?.id]),
        ),
    },
    {
      statement: statements.contactsNotUpdated,
      judge: (observed) => judgeEffect(observed, observed.updated, 'not updated'),
    },
    {
      statement: statements.contactsNotDeleted,
      judge: (observed) => judgeEffect(observed, observed.deleted, 'not deleted'),
    },
    {
      statement: statements.contactsNotSentTo,
      judge: (observed) => judgeKept(observed, [observed.sent], 'not sent', isSuccess),
    },
    {
      statement: statements.eventsOwned,
      judge: (observed) => judgeKept(observed, observed.tracked, 'no event for its contact', isSuccess),
    },
    {
      statement: statements.subscriptionsOwned,
      judge: ({ listed, subscriptionId, ...rest }) => {
        const isListed = subscriptionId === undefined ? false : lists(listed, subscriptionId);
        if (isSuccess(listed) && isListed === undefined) return notChecked('a list that can be read');
        return judgeKept(rest, [listed], 'not in the list', () => isListed === true);
      },
    },
    {
      statement: statements.subscriptionsNotDeleted,
      judge: (observed) => judgeEffect(observed, observed.unsubscribed, 'not deleted'),
    },
  ],
});

type Key = Pick<Observed, 'isKeyAccepted'>;

/** Judges the responses to the other key: none may show or change data of this workspace. */
function judgeKept(
  { isKeyAccepted }: Key,
  outcomes: readonly Outcome[],
  expected: string,
  isOpen: (outcome: Outcome) => boolean,
): Judgement {
  const open = outcomes.filter(isOpen);
  if (open.length > 0) return broken(`with the other key: ${open.map(describeStatus).join('; ')}`, expected);
  const missing = outcomes.find(({ kind }) => kind !== 'response');
  if (missing !== undefined) return unanswered(missing);
  return isKeyAccepted ? holds(true, expected, expected) : notChecked(otherKeyRefused);
}

/** Judges the effect. The document does not show the response to an unknown id, so a success may have had no effect. */
function judgeEffect({ isKeyAccepted }: Key, { outcome, hadEffect }: Effect, expected: string): Judgement {
  if (outcome.kind !== 'response') return unanswered(outcome);
  const seen = `with the other key: ${describeStatus(outcome)}`;
  if (hadEffect === undefined) return notChecked('a way to see what the request did');
  if (hadEffect) return broken(`${seen}, and it took effect`, expected);
  return isKeyAccepted ? holds(true, `${seen}, ${expected}`, expected) : notChecked(otherKeyRefused);
}

const unanswered = (outcome: Outcome) =>
  notChecked(outcome.kind === 'not_requested' ? outcome : 'a response to the other key');
