import { operations } from '../../contract/operations.js';
import { type Statement, ownershipStatements as statements } from '../../contract/statements.js';
import { type ConformanceRun, contactNeeded, subscriptionNeeded } from '../conformance-run.js';
import { holds } from '../evidence.js';
import { describeStatus, idIn, lists } from '../exchange/body.js';
import type { Endpoint } from '../exchange/http-requester.js';
import { type ExchangeOutcome, isRefusedKey, isSuccess, needing } from '../exchange/outcome.js';
import { leaksContact, readBack } from './read-back.js';
import { needsSend, sendTo } from './transactional.js';

const otherKeyNeeded = needing('the key of another workspace', 'otherApiKey');
const otherKeyRefused = needing('a key of another workspace that the deployment accepts', 'otherApiKey');
const given = { conformance_name: 'Ada' };
const changed = { conformance_name: 'Grace' };

/** §5, the workspace: uses another workspace's key for data of this workspace. Creates nothing in the other workspace. */
export async function checkOwnership(run: ConformanceRun): Promise<void> {
  const { otherApiKey } = run.settings;
  const { contact } = run;
  if (otherApiKey === undefined || contact === undefined) {
    const needed = otherApiKey === undefined ? otherKeyNeeded : contactNeeded;
    for (const statement of Object.values(statements)) run.saw(statement, needed);
    return;
  }
  const found = await run.find(contact.phone, otherApiKey);
  const got = await run.get(contact.id, otherApiKey);
  const byId = await run.track({ contactId: contact.id }, otherApiKey);
  // If the other workspace has a contact with this phone, it accepts the event correctly.
  const hasPhone = isSuccess(found) && !found.text.includes(contact.id);
  const byPhone = hasPhone ? byId : await run.track({ phone: contact.phone }, otherApiKey);
  const templates = await run.request(operations.templates.list, { apiKey: otherApiKey });
  // If the deployment refuses the key itself, a refusal shows nothing about workspaces.
  const isKeyAccepted = [templates, found, got, byId, byPhone].some(
    (outcome) => outcome.kind === 'response' && !isRefusedKey(outcome),
  );
  /** Judges a request with the other key by its effect, because the document does not show the response to an unknown id. */
  const saw = (
    statement: Statement,
    outcome: ExchangeOutcome,
    hadEffect: boolean | undefined,
    expected: string,
  ) => {
    const seen = `with the other key: ${describeStatus(outcome)}`;
    if (outcome.kind === 'not_requested') run.saw(statement, outcome);
    else if (outcome.kind === 'no_response') run.saw(statement, needing('a response to the other key'));
    else if (hadEffect === undefined) run.saw(statement, needing('a way to see what the request did'));
    else if (!hadEffect && !isKeyAccepted) run.saw(statement, otherKeyRefused);
    else {
      const problem = hadEffect && `${seen}, and it took effect`;
      run.saw(statement, holds([problem], `${seen}, ${expected}`, expected));
    }
  };
  for (const outcome of [found, got]) {
    const isShown = leaksContact(outcome, { id: contact.id });
    saw(statements.contactsOwned, outcome, isShown, 'neither found nor returned');
  }
  for (const outcome of [byId, byPhone])
    saw(statements.eventsOwned, outcome, isSuccess(outcome), 'no event for its contact');

  const own = await run.newContact(given);
  const update = await run.update(own?.id, changed, otherApiKey);
  const afterUpdate = await readBack(run, own ?? {}, given);
  const canSee = afterUpdate.properties !== undefined;
  const isUpdated = afterUpdate.written.verdict === 'broken';
  saw(statements.contactsNotUpdated, update, canSee ? isUpdated : undefined, 'not updated');
  const { delete: remove } = operations.contacts;
  const deletion = own ? await run.request(remove, { id: own.id, apiKey: otherApiKey }) : contactNeeded;
  const afterDeletion = await readBack(run, own ?? {}, given);
  const isDeleted = afterDeletion.properties === undefined;
  saw(statements.contactsNotDeleted, deletion, canSee ? isDeleted : undefined, 'not deleted');

  const sent = await sendWithOtherKey(run, otherApiKey);
  saw(statements.contactsNotSentTo, sent, isSuccess(sent), 'not sent');

  const { list, delete: unsubscribe } = operations.webhooks;
  const made = await run.subscribe({ url: run.settings.webhookUrl, events: ['message.received'] });
  const id = idIn(made);
  const needs = made.kind === 'not_requested' ? made : subscriptionNeeded;
  const ask = async (endpoint: Endpoint, apiKey?: string) =>
    id === undefined ? needs : run.request(endpoint, { id, apiKey });
  const listed = await ask(list, otherApiKey);
  const before = await ask(list);
  const unsubscribed = await ask(unsubscribe, otherApiKey);
  const after = await ask(list);
  await run.unsubscribe(made);
  const isIn = (outcome: ExchangeOutcome) => (id === undefined ? undefined : lists(outcome, id));
  saw(statements.subscriptionsOwned, listed, isSuccess(listed) ? isIn(listed) : false, 'not in the list');
  const isThere = isIn(before) ? isIn(after) : undefined;
  const isGone = isThere === undefined ? undefined : !isThere;
  saw(statements.subscriptionsNotDeleted, unsubscribed, isGone, 'not deleted');
}

/** Requests a send to a contact of this workspace, if the other workspace has no contact with the phone. */
async function sendWithOtherKey(run: ConformanceRun, otherApiKey: string): Promise<ExchangeOutcome> {
  const message = run.settings.send;
  if (message === undefined) return needsSend;
  if (!(await run.makeReachable(message.phone))) return needing('a contact with the phone to send to');
  const found = await run.find(message.phone, otherApiKey);
  if (found.kind !== 'response' || isSuccess(found)) {
    return needing('another workspace that has no contact with the phone to send to', 'otherApiKey');
  }
  return sendTo(run, message, otherApiKey);
}
