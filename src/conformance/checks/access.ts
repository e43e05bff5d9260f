import { errorStatuses } from '../../contract/error.js';
import type { OperationName } from '../../contract/operation-name.js';
import { operationList, operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { type ConformanceRun, eventName } from '../conformance-run.js';
import { subscriptionIdIn } from '../created-resources.js';
import { holds, notChecked } from '../evidence.js';
import { contactIdIn } from '../exchange/contact.js';
import type { RequestParts } from '../exchange/http-requester.js';
import { describeStatus, isSuccess, notRequested, type Outcome, seeing } from '../exchange/outcome.js';

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
  const { templates, contacts } = operations;
  const bare: { readonly name: string; readonly outcome: Outcome }[] = [];
  const requests = new Map<string, RequestParts | undefined>(Object.entries(await requestsOf(run)));
  for (const { name, method, path } of operationList) {
    const parts = requests.get(name);
    const outcome =
      parts === undefined
        ? notRequested('')
        : await run.request({ method, path }, { ...parts, apiKey: null });
    await undo(run, name, outcome);
    bare.push({ name: `${method} ${path}`, outcome });
  }
  const baseline =
    bare.find(({ name }) => name === `GET ${templates.list.path}`)?.outcome ?? notRequested('');
  const wrong: Outcome[] = [];
  for (const apiKey of wrongKeys(run.settings.apiKey)) {
    wrong.push(await run.request(templates.list, { apiKey }));
    if (run.contact !== undefined)
      wrong.push(await run.request(contacts.find, { query: { phone: run.contact.phone }, apiKey }));
  }
  const asked = bare.filter(({ outcome }) => outcome.kind !== 'not_requested');
  const open = asked.filter(({ name, outcome }) => isAccepted(name, outcome, baseline));
  const others = bare.filter(({ outcome }) => outcome.kind === 'not_requested').map(({ name }) => name);
  const { events, webhooks } = run.settings;
  const option = events ? (webhooks ? undefined : 'webhooks') : 'events';
  run.saw(
    statements.keyRequired,
    open.length === 0 && others.length > 0
      ? notChecked(
          notRequested(`requests to all endpoints; these were not called: ${others.join(', ')}`, option),
        )
      : asked.some(({ outcome }) => outcome.kind !== 'response')
        ? notChecked('a deployment that answers')
        : holds(
            open.map(({ name, outcome }) => `${name} ${describeStatus(outcome)}`),
            `all ${bare.length} endpoints refuse`,
            'no endpoint that accepts a request without a key',
          ),
  );
  for (const outcome of wrong)
    if (outcome.kind === 'response') run.expect(statements.keyValid, outcome, { status: 'a refusal' });
    else run.saw(statements.keyValid, notChecked('a deployment that answers'));
  run.notShown(
    '§5 The response to a missing key, and to one that is not valid',
    seeing(describeStatus, baseline, wrong[0] ?? notRequested('')),
  );
}

/** Removes what a request without a key created, in any workspace. */
async function undo(run: ConformanceRun, name: string, outcome: Outcome): Promise<void> {
  const { contacts, webhooks } = operations;
  if (name === webhooks.create.name) {
    run.addSubscription(run.settings.webhookUrl, outcome);
    const id = subscriptionIdIn(outcome);
    if (id !== undefined) await run.request(webhooks.delete, { id, apiKey: null });
  }
  if (name === contacts.upsert.name) {
    const id = contactIdIn(outcome);
    if (id !== undefined && id !== run.contact?.id) await run.request(contacts.delete, { id, apiKey: null });
  }
}

/** A request for each endpoint. An endpoint has no request if its input is missing. */
async function requestsOf(
  run: ConformanceRun,
): Promise<Readonly<Record<OperationName, RequestParts | undefined>>> {
  const { webhookUrl: url, events: mayTrack, webhooks: maySubscribe } = run.settings;
  const { contact } = run;
  const nobody = await run.freePhone();
  const events = ['message.received'];
  const id = subscriptionIdIn(await run.subscribe({ url, events }));
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
function isAccepted(name: string, outcome: Outcome, baseline: Outcome): boolean {
  if (isSuccess(outcome)) return true;
  const { send } = operations.transactional;
  if (outcome.kind !== 'response' || name !== `${send.method} ${send.path}`) return false;
  const isUsual = baseline.kind === 'response' && baseline.status === outcome.status;
  const errorsOfWorkspaces: readonly number[] = [errorStatuses.quota_exceeded, errorStatuses.not_found];
  return errorsOfWorkspaces.includes(outcome.status) && !isUsual;
}
