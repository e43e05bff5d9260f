import { operations } from '../../contract/operations.js';
import { secretPrefix } from '../../contract/secret-prefix.js';
import { statements } from '../../contract/statements.js';
import { aBoolean, aText, differences, ExpectedValue } from '../comparison.js';
import { type ConformanceRun, subscriptionNeeded } from '../conformance-run.js';
import {
  describe,
  describeList,
  describeStatus,
  fieldOf,
  idIn,
  listIn,
  lists,
  usableId,
} from '../exchange/body.js';
import { type ExchangeOutcome, isSuccess, needing } from '../exchange/outcome.js';

const { create, list } = operations.webhooks;
const { created } = create.successes;
const { deleted } = operations.webhooks.delete.successes;

const aSecret = new ExpectedValue(
  `a string that begins with ${secretPrefix}`,
  (value) =>
    typeof value === 'string' && value.startsWith(secretPrefix) && value.length > secretPrefix.length,
);
const texts = new ExpectedValue(
  'an array of strings',
  (value) => Array.isArray(value) && value.every((type) => typeof type === 'string'),
);
const anInteger = new ExpectedValue('an integer', Number.isInteger);
/** Other statements compare `secret` and `createdAt`. */
const types = { id: aText, url: aText, events: texts, enabled: aBoolean };

/** §2 Webhook subscription and §4 /v1/webhooks: creates two subscriptions, lists them, deletes one, and lists again. */
export async function checkWebhooks(run: ConformanceRun): Promise<void> {
  const { webhookUrl, clock } = run.settings;
  const before = listIn(await run.request(list));
  const earlier = (before ?? []).map(usableId).filter((id) => id !== undefined);
  if (before !== undefined) run.created.keepSubscriptions(earlier);
  const one = { url: webhookUrl, events: ['message.received', 'contact.opted_out'] };
  const two = {
    url: `${webhookUrl}${webhookUrl.includes('?') ? '&' : '?'}b=%C3%85%20B&a=1`,
    events: ['contact.opted_in'],
  };
  const made = await run.subscribe(one);
  const at = clock.now();
  const second = await run.subscribe(two);
  const listed = await run.request(list);
  const removed = await run.unsubscribe(made);
  const afterwards = await run.request(list);
  const removedSecond = await run.unsubscribe(second);
  const [id, secondId] = [made, second].map(idIn);

  for (const [outcome, asked] of [
    [made, one],
    [second, two],
  ] as const) {
    const hint = '; if the deployment refuses this host, choose another URL (webhookUrl)';
    run.expect(statements.subscribe, outcome, {
      status: created,
      body: asked,
      problems: () => [
        outcome === second && id !== undefined && id === secondId && 'id: that of another subscription',
      ],
      described: (seen) => `${describe(seen)}${isSuccess(seen) ? '' : hint}`,
    });
    run.expect(statements.subscriptionFields, outcome, { body: types });
    run.expect(statements.subscriptionCreatedAt, outcome, { body: { createdAt: anInteger } });
    const createdAt = isSuccess(outcome) ? fieldOf(outcome.json, 'createdAt') : undefined;
    if (typeof createdAt === 'number')
      run.saw(
        statements.subscriptionCreatedAt,
        run.judgeTime(createdAt, at, 'its creation, in milliseconds'),
      );
    run.expect(statements.subscribeSecret, outcome, { body: { secret: aSecret }, described: describeStatus });
  }
  const all = [id, secondId].filter((each) => each !== undefined);
  const missingIn = (outcome: ExchangeOutcome, wanted: readonly string[]) =>
    wanted.some((each) => lists(outcome, each) !== true) && 'without a subscription that is there';
  run.expect(statements.listSubscriptions, listed, {
    status: 'a success',
    expected: 'a list with the subscriptions that were made',
    problems: () => [missingIn(listed, all), ...differencesInList(listed, [made, second])],
    described: describeList,
  });
  if (all.length < 2)
    run.saw(statements.listSubscriptions, made.kind === 'not_requested' ? made : subscriptionNeeded);
  // Another statement says whether the lists can be read.
  const canTell = id !== undefined && lists(listed, id) === true && isSuccess(afterwards);
  const others = [...all.slice(1), ...earlier.filter((each) => lists(listed, each))];
  run.expect(statements.unsubscribe, removed, {
    status: deleted,
    expected: '204, no body, and only this one is gone',
    problems: ({ text }) => [
      text !== '' && 'a body',
      id !== undefined && lists(afterwards, id) === true && 'it is still listed',
      canTell && missingIn(afterwards, others),
    ],
  });
  run.expect(statements.unsubscribe, removedSecond, { status: deleted });
  if (id !== undefined && !canTell)
    run.saw(statements.unsubscribe, needing('a list that shows whether it is gone'));

  const own = listIn(listed)?.find((entry) => id !== undefined && fieldOf(entry, 'id') === id);
  const withoutUrl = await run.subscribe({ events: one.events });
  await run.unsubscribe(withoutUrl);
  const withoutEvents = await run.subscribe({ url: webhookUrl });
  await run.unsubscribe(withoutEvents);
  run.notShown('§4 The response of the list of subscriptions', listed, describeList);
  const secretNeeded = made.kind === 'not_requested' ? made : needing('a subscription in the list');
  const showsSecret = fieldOf(own, 'secret') !== undefined;
  run.notShown(
    '§4 Whether a listed subscription shows its secret',
    own === undefined ? secretNeeded : showsSecret ? 'it does' : 'it does not',
  );
  run.notShown(
    '§4 The required fields of POST /v1/webhooks',
    withoutUrl.kind === 'not_requested'
      ? withoutUrl
      : `without url ${describeStatus(withoutUrl)}; without events ${describeStatus(withoutEvents)}`,
  );
  run.notShown(
    '§3 Whether a subscription begins enabled',
    isSuccess(made) ? `enabled: ${fieldOf(made.json, 'enabled') === true}` : made,
  );
}

/** The differences between new subscriptions and their entries in the list, in the fields that an entry shows. */
const differencesInList = (listed: ExchangeOutcome, made: readonly ExchangeOutcome[]) =>
  made.flatMap((outcome) => {
    const asked = isSuccess(outcome) ? outcome.json : undefined;
    const entry = listIn(listed)?.find((each) => fieldOf(each, 'id') === fieldOf(asked, 'id'));
    const shown = Object.entries(Object(asked)).filter(([name]) => fieldOf(entry, name) !== undefined);
    return differences(Object.fromEntries(shown), entry ?? {});
  });
