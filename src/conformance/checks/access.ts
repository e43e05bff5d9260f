import { errorStatuses } from '../../contract/error.js';
import type { OperationName } from '../../contract/operation-name.js';
import { operationList, operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { checkGroup } from '../check-group.js';
import { type ConformanceRun, eventName } from '../conformance-run.js';
import { subscriptionIdIn } from '../created-resources.js';
import { contactIdIn } from '../exchange/contact.js';
import type { RequestParts } from '../exchange/http-requester.js';
import { describeStatus, isSuccess, notAsked, type Outcome, seeing } from '../exchange/outcome.js';
import { broken, holds, type Judgement, notChecked } from '../judgement.js';

/** A key that no workspace has. It holds nothing of the real one. */
const madeUpKey = 'conformance-check-made-up-key';

/**
 * §5, the key: asks every endpoint without a key for something that it gives with one, so that a refusal can only be about
 * the key. Whatever such a request makes or removes, where it succeeds, is the run's own.
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

/** Removes what a request without a key made, in whichever workspace. */
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

/** A request for each endpoint, by the operation's name. An endpoint has none if its request needs what is missing. */
async function requestsOf(run: ConformanceRun): Promise<ReadonlyMap<string, RequestParts | undefined>> {
  const { webhookUrl: url, events: mayTrack, webhooks: maySubscribe } = run.settings;
  const { contact } = run;
  const nobody = await run.freePhone();
  const subscription = await run.subscribe({ url, events: ['message.received'] });
  const subscriptionId = subscriptionIdIn(subscription);
  const templateId = run.templateIds[0] ?? 'conformance_check';
  const requests: Readonly<Record<OperationName, RequestParts | undefined>> = {
    'contacts.upsert': contact && { body: { phone: contact.phone } },
    'contacts.find': contact && { query: { phone: contact.phone } },
    'contacts.get': contact && { id: contact.id },
    'contacts.update': contact && { id: contact.id, body: { properties: { conformance_city: 'Rome' } } },
    'contacts.delete': contact && { id: contact.id },
    'transactional.send':
      nobody.phone === undefined ? undefined : { body: { phone: nobody.phone, templateId } },
    'events.track': contact && mayTrack ? { body: { event: eventName, phone: contact.phone } } : undefined,
    'webhooks.create': maySubscribe ? { body: { url, events: ['message.received'] } } : undefined,
    'webhooks.list': {},
    'webhooks.delete': subscriptionId === undefined ? undefined : { id: subscriptionId },
    'templates.list': {},
  };
  return new Map(Object.entries(requests));
}

export const access = checkGroup({
  observe,
  checks: [
    {
      statement: statements.keyRequired,
      judge: ({ bare, baseline = notAsked('') }) => {
        const asked = bare.filter(({ outcome }) => outcome.kind !== 'not_asked');
        if (asked.length === 0) return notChecked('a deployment that answers');
        const open = asked.filter(({ name, outcome }) => isLetIn(name, outcome, baseline));
        if (open.length === 0) return holds(true, describeRefusals(asked.map(({ name }) => name)), '');
        const list = open.map(({ name, outcome }) => `${name} ${describeStatus(outcome)}`);
        return broken(list.join('; '), 'no endpoint that lets in');
      },
    },
    {
      statement: statements.keyValid,
      judge: ({ wrongKey }): Judgement => {
        const asked = wrongKey.filter(({ kind }) => kind === 'answer');
        if (asked.length === 0) return notChecked('a deployment that answers');
        const open = asked.some(isSuccess);
        return holds(!open, asked.map(describeStatus).join('; '), 'no success');
      },
    },
  ],
  silences: [
    {
      statement: '§5 The answer to a missing key, and to one that is not valid',
      see: ({ baseline = notAsked('none was asked'), wrongKey: [wrong = notAsked('none was asked')] }) =>
        seeing(describeStatus, baseline, wrong),
    },
  ],
});

/** How many endpoints refuse, and which were not asked. */
function describeRefusals(asked: readonly string[]): string {
  const all = operationList.map(({ method, path }) => `${method} ${path}`);
  const others = all.filter((name) => !asked.includes(name));
  if (others.length === 0) return `all ${all.length} endpoints refuse`;
  return `${asked.length} of ${all.length} endpoints refuse; not checked: ${others.join(', ')}`;
}

/**
 * Whether an endpoint did its work without a key. The document does not show how it refuses, so that any error will do. But a
 * send goes to a phone that no contact has, so that nothing is sent: there an error that only a workspace knows shows it.
 */
function isLetIn(name: string, outcome: Outcome, baseline: Outcome): boolean {
  if (isSuccess(outcome)) return true;
  const { send } = operations.transactional;
  if (outcome.kind !== 'answer' || name !== `${send.method} ${send.path}`) return false;
  const isUsual = baseline.kind === 'answer' && baseline.status === outcome.status;
  const fromWithin: readonly number[] = [errorStatuses.quota_exceeded, errorStatuses.not_found];
  return fromWithin.includes(outcome.status) && !isUsual;
}
