import { operations } from '../../contract/operations.js';
import { secretPrefix } from '../../contract/secret-prefix.js';
import { statements } from '../../contract/statements.js';
import { checkGroup } from '../check-group.js';
import { type ConformanceRun, subscriptionNeeded } from '../conformance-run.js';
import { subscriptionIdIn } from '../created-resources.js';
import { usableId } from '../exchange/contact.js';
import { fieldOf } from '../exchange/json.js';
import { describeList, listIn, lists } from '../exchange/list.js';
import {
  describe,
  describeError,
  describeStatus,
  isSuccess,
  notRequested,
  type Outcome,
  seeing,
} from '../exchange/outcome.js';
import { isTimeOfRun } from '../exchange/time.js';
import { broken, holds, judge, notChecked } from '../judgement.js';

const { create, list } = operations.webhooks;
const { created } = create.successes;
const { deleted } = operations.webhooks.delete.successes;
const events = ['message.received', 'contact.opted_out'];

/** §2 Webhook subscription and §4 /v1/webhooks: creates one subscription, lists it, deletes it, and lists again. */
async function observe(run: ConformanceRun) {
  const { webhookUrl: url } = run.settings;
  const before = await run.request(list);
  const earlier = listIn(list, before)?.map((subscription) => usableId(fieldOf(subscription, 'id')));
  if (earlier !== undefined) run.keepSubscriptions(earlier.filter((id) => id !== undefined));
  const made = await run.subscribe({ url, events });
  const id = subscriptionIdIn(made);
  const listed = await run.request(list);
  const removed = await run.unsubscribe(made);
  const afterwards = await run.request(list);
  const withoutEvents = await tryOut(run, { url });
  const withoutUrl = await tryOut(run, { events });
  return { startedAt: run.startedAt, url, made, id, listed, removed, afterwards, withoutEvents, withoutUrl };
}

/** Requests a subscription that the deployment may refuse, and removes it if the deployment creates it. */
async function tryOut(
  run: ConformanceRun,
  body: { readonly url?: string; readonly events?: readonly string[] },
) {
  const outcome = await run.subscribe(body);
  if (isSuccess(outcome)) await run.unsubscribe(outcome);
  return outcome;
}

export const webhooks = checkGroup({
  observe,
  checks: [
    {
      statement: statements.subscriptionFields,
      judge: ({ made }) => {
        if (!isSuccess(made)) return notChecked(needsMade(made));
        const wrong = Object.entries(types).filter(([name, isType]) => !isType(fieldOf(made.json, name)));
        const names = wrong.map(([name]) => name).join(', ');
        return holds(wrong.length === 0, names === '' ? 'they are' : `wrong: ${names}`, describeTypes);
      },
    },
    {
      statement: statements.subscriptionCreatedAt,
      judge: ({ made, startedAt }) => {
        if (!isSuccess(made)) return notChecked(needsMade(made));
        const createdAt = fieldOf(made.json, 'createdAt');
        const isTime = Number.isInteger(createdAt) && isTimeOfRun(Number(createdAt), { startedAt });
        return holds(
          isTime,
          describeTime(createdAt, isTime),
          'the time of creation, an integer of milliseconds',
        );
      },
    },
    {
      statement: statements.subscribe,
      judge: ({ made, url }) => {
        if (!isSuccess(made)) {
          const hint = '; if the deployment refuses this host, choose another URL (webhookUrl)';
          return judge(
            made,
            '201',
            () => false,
            (outcome) => `${describeError(outcome)}${hint}`,
          );
        }
        const shown = describe(made);
        if (made.status !== created) return broken(shown, '201');
        const differs = differences(made, url);
        return differs.length === 0
          ? holds(true, shown, '')
          : broken(`${differs.join(', ')}: another value`, 'the values of the request');
      },
    },
    {
      statement: statements.subscribeSecret,
      judge: ({ made }) => {
        if (!isSuccess(made)) return notChecked(needsMade(made));
        const secret = fieldOf(made.json, 'secret');
        const isSecret =
          typeof secret === 'string' &&
          secret.startsWith(secretPrefix) &&
          secret.length > secretPrefix.length;
        return holds(isSecret, describeSecret(secret), `a string that begins with ${secretPrefix}`);
      },
    },
    {
      statement: statements.listSubscriptions,
      judge: ({ made, id, listed }) => {
        const expected = isSuccess(made) ? 'a list with the new subscription' : 'a list';
        return judge(
          listed,
          expected,
          (response) => isSuccess(response) && (id === undefined || lists(response, id) === true),
          (outcome) =>
            isSuccess(outcome) && id !== undefined && lists(outcome, id) !== true
              ? `${describeList(list, outcome)}, without it`
              : describeList(list, outcome),
        );
      },
    },
    {
      statement: statements.unsubscribe,
      judge: ({ removed, listed, afterwards, id }) => {
        const canTell = id !== undefined && lists(listed, id) === true && isSuccess(afterwards);
        const isDeleted = removed.kind === 'response' && removed.status === deleted && removed.text === '';
        if (isDeleted && id !== undefined && lists(afterwards, id) === true)
          return broken('204, but it is still listed', 'gone');
        // Another check judges whether the lists can be read.
        if (isDeleted && id !== undefined && !canTell)
          return notChecked('a list that shows whether it is gone');
        return judge(
          removed,
          '204, no body',
          () => isDeleted,
          (outcome) => (isDeleted ? '204' : describeError(outcome)),
        );
      },
    },
  ],
  silences: [
    {
      statement: '§4 The response of the list of subscriptions',
      see: ({ listed }) => seeing((outcome) => describeList(list, outcome), listed),
    },
    {
      statement: '§4 Whether a listed subscription shows its secret',
      see: ({ made, listed, id }) => {
        if (made.kind === 'not_requested') return made;
        const own = listIn(list, listed)?.find((entry) => id !== undefined && fieldOf(entry, 'id') === id);
        if (own === undefined) return notRequested('a subscription in the list');
        return fieldOf(own, 'secret') === undefined ? 'it does not' : 'it does';
      },
    },
    {
      statement: '§4 The required fields of POST /v1/webhooks',
      see: ({ withoutUrl, withoutEvents }) =>
        withoutUrl.kind === 'not_requested'
          ? withoutUrl
          : `without url ${describeStatus(withoutUrl)}; without events ${describeStatus(withoutEvents)}`,
    },
    {
      statement: '§3 Whether a subscription begins enabled',
      see: ({ made }) =>
        isSuccess(made) ? `enabled: ${fieldOf(made.json, 'enabled') === true}` : seeing(describe, made),
    },
  ],
});

/** Other statements judge `secret` and `createdAt`. */
const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: (value) => typeof value === 'string' && value !== '',
  url: (value) => typeof value === 'string',
  events: (value) => Array.isArray(value) && value.every((type) => typeof type === 'string'),
  enabled: (value) => typeof value === 'boolean',
};
const describeTypes = 'id and url strings, events an array of strings, enabled a boolean';

const needsMade = (made: Outcome) => (made.kind === 'not_requested' ? made : subscriptionNeeded);

function describeTime(value: unknown, isTime: boolean): string {
  if (typeof value !== 'number') return value === undefined ? 'none' : `a ${typeof value}`;
  if (!Number.isInteger(value)) return 'not an integer';
  return isTime ? 'it is' : 'an integer, but not a time of this run';
}

function describeSecret(secret: unknown): string {
  if (typeof secret !== 'string') return secret === undefined ? 'none' : `a ${typeof secret}`;
  return secret.startsWith(secretPrefix) ? `${secretPrefix}***` : 'a string with another beginning';
}

/** The fields of the right type whose value differs from the requested one. */
function differences({ json }: { readonly json: unknown }, url: string): readonly string[] {
  const [shownUrl, shownEvents] = [fieldOf(json, 'url'), fieldOf(json, 'events')];
  const isOtherUrl = typeof shownUrl === 'string' && shownUrl !== url;
  const isOtherEvents =
    Array.isArray(shownEvents) && [...shownEvents].sort().join() !== [...events].sort().join();
  return [...(isOtherUrl ? ['url'] : []), ...(isOtherEvents ? ['events'] : [])];
}
