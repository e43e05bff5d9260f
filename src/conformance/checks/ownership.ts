import { operations } from '../../contract/operations.js';
import { type Statement, statements } from '../../contract/statements.js';
import { type ConformanceRun, contactNeeded, subscriptionNeeded } from '../conformance-run.js';
import { subscriptionIdIn } from '../created-resources.js';
import { holds, notChecked } from '../evidence.js';
import { lists } from '../exchange/list.js';
import {
  describeStatus,
  isRefusedKey,
  isSuccess,
  type NotRequested,
  notRequested,
  type Outcome,
} from '../exchange/outcome.js';
import { leaksContact, readBack } from './read-back.js';
import { needsSend, sendTo } from './transactional.js';

const otherKeyNeeded = notRequested('the key of another workspace', 'otherApiKey');
const otherKeyRefused = notRequested('a key of another workspace that the deployment accepts', 'otherApiKey');
const given = { conformance_name: 'Ada' };
const changed = { conformance_name: 'Grace' };

/** §5, the workspace: uses another workspace's key for data of this workspace. Creates nothing in the other workspace. */
export async function checkOwnership(run: ConformanceRun): Promise<void> {
  const { otherApiKey } = run.settings;
  const { contact } = run;
  const all = [
    statements.contactsOwned,
    statements.contactsNotUpdated,
    statements.contactsNotDeleted,
    statements.contactsNotSentTo,
    statements.eventsOwned,
    statements.subscriptionsOwned,
    statements.subscriptionsNotDeleted,
  ];
  if (otherApiKey === undefined || contact === undefined) {
    for (const statement of all)
      run.saw(statement, notChecked(otherApiKey === undefined ? otherKeyNeeded : contactNeeded));
    return;
  }
  const found = await run.find(contact.phone, otherApiKey);
  const got = await run.get(contact.id, otherApiKey);
  const byId = await run.track({ contactId: contact.id }, { apiKey: otherApiKey });
  // If the other workspace has a contact with this phone, it accepts the event correctly.
  const hasPhone = isSuccess(found) && !found.text.includes(contact.id);
  const byPhone = hasPhone ? byId : await run.track({ phone: contact.phone }, { apiKey: otherApiKey });
  const templates = await run.request(operations.templates.list, { apiKey: otherApiKey });
  // If the deployment refuses the key itself, a refusal shows nothing about workspaces.
  const isKeyAccepted = [templates, found, got, byId, byPhone].some(
    (outcome) => outcome.kind === 'response' && !isRefusedKey(outcome),
  );
  /** Judges a request with the other key by its effect, because the document does not show the response to an unknown id. */
  const saw = (statement: Statement, outcome: Outcome, hadEffect: boolean | undefined, expected: string) => {
    const seen = `with the other key: ${describeStatus(outcome)}`;
    if (outcome.kind !== 'response')
      run.saw(
        statement,
        notChecked(outcome.kind === 'not_requested' ? outcome : 'a response to the other key'),
      );
    else if (hadEffect === undefined) run.saw(statement, notChecked('a way to see what the request did'));
    else if (!hadEffect && !isKeyAccepted) run.saw(statement, notChecked(otherKeyRefused));
    else
      run.saw(
        statement,
        holds(!hadEffect, `${seen}, ${hadEffect ? 'and it took effect' : expected}`, expected),
      );
  };
  for (const outcome of [found, got])
    saw(
      statements.contactsOwned,
      outcome,
      leaksContact(outcome, { id: contact.id, phone: undefined }),
      'neither found nor returned',
    );
  for (const outcome of [byId, byPhone])
    saw(statements.eventsOwned, outcome, isSuccess(outcome), 'no event for its contact');

  const own = await run.newContact(given);
  const target = own ?? { id: undefined, phone: undefined };
  const update = await run.update(own?.id, changed, otherApiKey);
  const afterUpdate = await readBack(run, target, given);
  const canSee = afterUpdate.properties !== undefined;
  const isUpdated = afterUpdate.written.verdict === 'broken';
  saw(statements.contactsNotUpdated, update, canSee ? isUpdated : undefined, 'not updated');
  const remove =
    own === undefined
      ? contactNeeded
      : await run.request(operations.contacts.delete, { id: own.id, apiKey: otherApiKey });
  const afterDelete = await readBack(run, target, given);
  saw(
    statements.contactsNotDeleted,
    remove,
    canSee ? afterDelete.properties === undefined : undefined,
    'not deleted',
  );

  const sent = await sendWithOtherKey(run, otherApiKey);
  saw(statements.contactsNotSentTo, sent, isSuccess(sent), 'not sent');

  const { list, delete: removeSubscription } = operations.webhooks;
  const made = await run.subscribe({ url: run.settings.webhookUrl, events: ['message.received'] });
  const id = subscriptionIdIn(made);
  const needs: NotRequested = made.kind === 'not_requested' ? made : subscriptionNeeded;
  const withId = (request: (id: string) => Promise<Outcome>) =>
    id === undefined ? Promise.resolve(needs) : request(id);
  const listed = await withId(() => run.request(list, { apiKey: otherApiKey }));
  const before = await withId(() => run.request(list));
  const unsubscribed = await withId((value) =>
    run.request(removeSubscription, { id: value, apiKey: otherApiKey }),
  );
  const after = await withId(() => run.request(list));
  await run.unsubscribe(made);
  const [isListed, wasThere, isThere] = [listed, before, after].map((outcome) =>
    id === undefined ? undefined : lists(outcome, id),
  );
  saw(statements.subscriptionsOwned, listed, isSuccess(listed) ? isListed : false, 'not in the list');
  saw(
    statements.subscriptionsNotDeleted,
    unsubscribed,
    wasThere === true && isThere !== undefined ? !isThere : undefined,
    'not deleted',
  );
}

/** Requests a send to a contact of this workspace, if the other workspace has no contact with the phone. */
async function sendWithOtherKey(run: ConformanceRun, otherApiKey: string): Promise<Outcome> {
  const message = run.settings.send;
  if (message === undefined) return needsSend;
  if (!(await run.makeReachable(message.phone))) return notRequested('a contact with the phone to send to');
  const found = await run.find(message.phone, otherApiKey);
  if (found.kind !== 'response' || isSuccess(found)) {
    return notRequested('another workspace that has no contact with the phone to send to', 'otherApiKey');
  }
  return sendTo(run, message, otherApiKey);
}
