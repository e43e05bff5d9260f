import { errorStatuses } from '../../contract/error.js';
import type { OperationName } from '../../contract/operation-name.js';
import { operationList, operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { type ConformanceRun, eventName } from '../conformance-run.js';
import { holds } from '../evidence.js';
import { describeStatus, idIn } from '../exchange/body.js';
import type { Endpoint, RequestDetails } from '../exchange/http-requester.js';
import { type ExchangeOutcome, isSuccess, needing } from '../exchange/outcome.js';

const { contacts, templates, transactional, webhooks } = operations;

/** Keys that no workspace has: one that is made up, and ones that faulty code takes for the key. */
export function wrongKeys(apiKey: string): readonly string[] {
  const lower = apiKey.toLowerCase();
  return [
    'conformance-check-made-up-key',
    apiKey.slice(0, -1),
    `${apiKey}0`,
    lower === apiKey ? apiKey.toUpperCase() : lower,
  ].filter((key) => key !== '' && key !== apiKey);
}

/**
 * §5, the key: calls every endpoint without a key. Each request would succeed with the key, so only the missing key can be the
 * reason for an error. If such a request succeeds, it creates or removes only data of this run.
 */
export async function checkAccess(run: ConformanceRun): Promise<void> {
  const requests = new Map<string, RequestDetails | undefined>(Object.entries(await requestsOf(run)));
  const baseline = await run.request(templates.list, { apiKey: null });
  const open: string[] = [];
  const silent: string[] = [];
  for (const { name, method, path } of operationList) {
    const parts = requests.get(name);
    const outcome = parts ? await run.request({ method, path }, { ...parts, apiKey: null }) : needing('');
    if (outcome.kind !== 'response') silent.push(`${method} ${path}`);
    if (isAccepted(name, outcome, baseline)) open.push(`${method} ${path} ${describeStatus(outcome)}`);
    await undo(run, name, outcome);
  }
  const wrong: ExchangeOutcome[] = [];
  for (const apiKey of wrongKeys(run.settings.apiKey)) {
    wrong.push(await run.request(templates.list, { apiKey }));
    if (run.contact !== undefined) wrong.push(await run.find(run.contact.phone, apiKey));
  }
  const option = run.settings.events ? (run.settings.webhooks ? undefined : 'webhooks') : 'events';
  const seen = `all ${operationList.length} endpoints refuse`;
  run.saw(statements.keyRequired, holds(open, seen, 'no endpoint that accepts a request without a key'));
  const missing = needing(`responses of all endpoints; these gave none: ${silent.join(', ')}`, option);
  if (silent.length > 0) run.saw(statements.keyRequired, missing);
  for (const outcome of wrong) {
    const returned = outcome.kind === 'response' ? outcome : needing('a deployment that responds');
    run.expect(statements.keyValid, returned, { status: 'a refusal' });
  }
  run.notShown(
    '§5 The response to a missing key, and to one that is not valid',
    [baseline, ...wrong.slice(0, 1)],
    describeStatus,
  );
}

const removals: ReadonlyMap<string, Endpoint> = new Map([
  [webhooks.create.name, webhooks.delete],
  [contacts.upsert.name, contacts.delete],
]);

/** Removes what a request without a key created, in any workspace. */
async function undo(run: ConformanceRun, name: string, outcome: ExchangeOutcome): Promise<void> {
  if (name === webhooks.create.name) run.created.addSubscription(run.settings.webhookUrl, outcome);
  const [remove, id] = [removals.get(name), idIn(outcome)];
  if (remove && id !== undefined && id !== run.contact?.id) await run.request(remove, { id, apiKey: null });
}

/** A request for each endpoint. An endpoint has no request if its input is missing. */
async function requestsOf(
  run: ConformanceRun,
): Promise<Readonly<Record<OperationName, RequestDetails | undefined>>> {
  const { webhookUrl: url, events: mayTrack, webhooks: maySubscribe } = run.settings;
  const { contact } = run;
  const nobody = await run.freePhone();
  const events = ['message.received'];
  const id = idIn(await run.subscribe({ url, events }));
  const templateId = run.templateIds[0] ?? 'conformance_check';
  return {
    'contacts.upsert': contact && { body: { phone: contact.phone } },
    'contacts.find': contact && { query: { phone: contact.phone } },
    'contacts.get': contact && { id: contact.id },
    'contacts.update': contact && { id: contact.id, body: { properties: { conformance_city: 'Rome' } } },
    'contacts.delete': contact && { id: contact.id },
    'transactional.send':
      nobody.phone === undefined ? undefined : { body: { phone: nobody.phone, templateId } },
    'events.track': contact && mayTrack ? { body: { event: eventName, phone: contact.phone } } : undefined,
    'webhooks.create': maySubscribe ? { body: { url, events } } : undefined,
    'webhooks.list': {},
    'webhooks.delete': id === undefined ? undefined : { id },
    'templates.list': {},
  };
}

/**
 * Whether an endpoint accepted a request without a key. The document does not show the error, so any error counts as a refusal,
 * with one exception: the check sends to a phone that no contact has, so that nothing is sent. An endpoint that refuses this send
 * because of the contact or the quota has read a workspace, so it accepted the request.
 */
function isAccepted(name: string, outcome: ExchangeOutcome, baseline: ExchangeOutcome): boolean {
  if (isSuccess(outcome)) return true;
  if (outcome.kind !== 'response' || name !== transactional.send.name) return false;
  const isUsual = baseline.kind === 'response' && baseline.status === outcome.status;
  const errorsOfWorkspaces: readonly number[] = [errorStatuses.quota_exceeded, errorStatuses.not_found];
  return errorsOfWorkspaces.includes(outcome.status) && !isUsual;
}
