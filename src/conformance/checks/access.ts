import { errorStatuses } from '../../contract/error.js';
import type { Operation } from '../../contract/operation.js';
import { operationList, operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { checkGroup } from '../check-group.js';
import { type ConformanceRun, eventName } from '../conformance-run.js';
import { subscriptionIdIn } from '../created-resources.js';
import { contactIdIn } from '../exchange/contact.js';
import type { RequestParts } from '../exchange/http-requester.js';
import { describeStatus, isSuccess, notRequested, type Outcome, seeing } from '../exchange/outcome.js';
import { broken, holds, type Judgement, notChecked } from '../judgement.js';

/** A key that no workspace has. No part of it comes from the real key. */
const madeUpKey = 'conformance-check-made-up-key';

/**
 * §5, the key: calls every endpoint without a key. Each request would succeed with the key, so only the missing key can be the
 * reason for an error. If such a request succeeds, it creates or removes only data of this run.
 */
async function observe(run: ConformanceRun) {
  const { templates, contacts } = operations;
  const bare: { readonly name: string; readonly outcome: Outcome }[] = [];
  const requests = await requestsOf(run);
  for (const { name, method, path } of operationList) {
    const parts = requests.get(name);
    if (parts === undefined) continue;
    const outcome = await run.request({ method, path }, { ...parts, apiKey: null });
    await undo(run, name, outcome);
    bare.push({ name: `${method} ${path}`, outcome });
  }
  const wrongKey = [await run.request(templates.list, { apiKey: madeUpKey })];
  if (run.contact !== undefined) {
    const { phone } = run.contact;
    wrongKey.push(await run.request(contacts.find, { query: { phone }, apiKey: madeUpKey }));
  }
  return {
    bare,
    wrongKey,
    baseline: bare.find(({ name }) => name === `GET ${templates.list.path}`)?.outcome,
  };
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

type Table = typeof operations;

/** Whether a request of the operation needs more than an id. */
type HasInput<Entry> =
  Entry extends Operation<infer Request, infer _Result, infer _Outcome>
    ? { path: { id: string }; query: Record<never, never> } extends Request
      ? false
      : true
    : never;

type NameWithInput = {
  [Resource in keyof Table]: {
    [Verb in keyof Table[Resource] & string]: HasInput<Table[Resource][Verb]> extends true
      ? `${Resource}.${Verb}`
      : never;
  }[keyof Table[Resource] & string];
}[keyof Table];

/** A request for each endpoint, by the operation's name. An endpoint has no request if its input is missing. */
async function requestsOf(run: ConformanceRun): Promise<ReadonlyMap<string, RequestParts | undefined>> {
  const { webhookUrl: url, events: mayTrack, webhooks: maySubscribe } = run.settings;
  const { contact } = run;
  const nobody = await run.freePhone();
  const subscription = await run.subscribe({ url, events: ['message.received'] });
  const templateId = run.templateIds[0] ?? 'conformance_check';
  const inputs: Readonly<Record<NameWithInput, RequestParts | undefined>> = {
    'contacts.upsert': contact && { body: { phone: contact.phone } },
    'contacts.find': contact && { query: { phone: contact.phone } },
    'contacts.update': contact && { id: contact.id, body: { properties: { conformance_city: 'Rome' } } },
    'transactional.send':
      nobody.phone === undefined ? undefined : { body: { phone: nobody.phone, templateId } },
    'events.track': contact && mayTrack ? { body: { event: eventName, phone: contact.phone } } : undefined,
    'webhooks.create': maySubscribe ? { body: { url, events: ['message.received'] } } : undefined,
  };
  const ids = new Map([
    ['contacts', contact?.id],
    ['webhooks', subscriptionIdIn(subscription)],
  ]);
  const withoutInput = operationList.map(({ name, path }): [string, RequestParts | undefined] => {
    if (!path.includes(':id')) return [name, {}];
    const id = ids.get(name.slice(0, name.indexOf('.')));
    return [name, id === undefined ? undefined : { id }];
  });
  return new Map([...withoutInput, ...Object.entries(inputs)]);
}

export const access = checkGroup({
  observe,
  checks: [
    {
      statement: statements.keyRequired,
      judge: ({ bare, baseline = notRequested('') }) => {
        const asked = bare.filter(({ outcome }) => outcome.kind !== 'not_requested');
        if (asked.length === 0) return notChecked('a deployment that answers');
        const open = asked.filter(({ name, outcome }) => isAccepted(name, outcome, baseline));
        if (open.length === 0) return holds(true, describeRefusals(asked.map(({ name }) => name)), '');
        const list = open.map(({ name, outcome }) => `${name} ${describeStatus(outcome)}`);
        return broken(list.join('; '), 'no endpoint that accepts a request without a key');
      },
    },
    {
      statement: statements.keyValid,
      judge: ({ wrongKey }): Judgement => {
        const asked = wrongKey.filter(({ kind }) => kind === 'response');
        if (asked.length === 0) return notChecked('a deployment that answers');
        const open = asked.some(isSuccess);
        return holds(!open, asked.map(describeStatus).join('; '), 'no success');
      },
    },
  ],
  silences: [
    {
      statement: '§5 The response to a missing key, and to one that is not valid',
      see: ({
        baseline = notRequested('none was asked'),
        wrongKey: [wrong = notRequested('none was asked')],
      }) => seeing(describeStatus, baseline, wrong),
    },
  ],
});

/** How many endpoints refuse, and which were not called. */
function describeRefusals(asked: readonly string[]): string {
  const all = operationList.map(({ method, path }) => `${method} ${path}`);
  const others = all.filter((name) => !asked.includes(name));
  if (others.length === 0) return `all ${all.length} endpoints refuse`;
  return `${asked.length} of ${all.length} endpoints refuse; not checked: ${others.join(', ')}`;
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
