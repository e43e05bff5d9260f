import { operations } from '../../contract/operations.js';
import { checkGroup } from '../check-group.js';
import { type ConformanceRun, eventName } from '../conformance-run.js';
import { subscriptionIdIn } from '../created-resources.js';
import { fieldOf } from '../exchange/json.js';
import { listIn } from '../exchange/list.js';
import { describeStatus, isRefusedKey, isSuccess, notAsked, type Outcome } from '../exchange/outcome.js';
import { broken, holds, type Judgement, notChecked } from '../judgement.js';
import { showsContact } from './read-contact.js';

const needsOtherKey = notAsked('the key of another workspace (otherApiKey)');

/** §5, the workspace: another one's key is shown for what this one owns. Nothing is made in the other workspace. */
async function observe(run: ConformanceRun) {
  const { otherApiKey, webhookUrl: url, events: mayTrack } = run.settings;
  const { contact } = run;
  if (otherApiKey === undefined || contact === undefined) {
    const why = otherApiKey === undefined ? needsOtherKey : notAsked('a contact that can be made');
    return { contact, id: undefined, found: why, got: why, tracked: why, listed: why };
  }
  const found = await run.find(contact.phone, otherApiKey);
  const got = await run.get(contact.id, otherApiKey);
  const tracked = mayTrack
    ? await run.request(operations.events.track, {
        body: { event: eventName, contactId: contact.id },
        apiKey: otherApiKey,
      })
    : notAsked('events that may be tracked (events)');
  const made = await run.subscribe({ url, events: ['message.received'] });
  const id = subscriptionIdIn(made);
  const listed =
    id === undefined ? notMade(made) : await run.request(operations.webhooks.list, { apiKey: otherApiKey });
  await run.unsubscribe(made);
  return { contact, id, found, got, tracked, listed };
}

const notMade = (made: Outcome) =>
  made.kind === 'not_asked' ? made : notAsked('a subscription that can be made');

export const ownership = checkGroup({
  observe,
  checks: [
    {
      section: '§5',
      statement: 'the key is scoped to a workspace, which owns its contacts',
      judge: ({ contact, found, got }) =>
        judgeKept([found, got], 'neither found nor given', (outcome) => showsContact(outcome, [contact?.id])),
    },
    {
      section: '§5',
      statement: 'the workspace owns its events',
      judge: ({ tracked }) => judgeKept([tracked], 'no event for its contact', isSuccess),
    },
    {
      section: '§5',
      statement: 'the workspace owns its subscriptions',
      judge: ({ listed, id }) => {
        const list = listIn(operations.webhooks.list, listed);
        if (isSuccess(listed) && list === undefined) return notChecked('a list that can be read');
        return judgeKept(
          [listed],
          'not in the list',
          () => list?.some((entry) => fieldOf(entry, 'id') === id) ?? false,
        );
      },
    },
  ],
});

function judgeKept(
  outcomes: readonly Outcome[],
  expected: string,
  isOpen: (outcome: Outcome) => boolean,
): Judgement {
  const open = outcomes.filter(isOpen);
  if (open.length > 0) return broken(`with the other key: ${open.map(describeStatus).join('; ')}`, expected);
  const missing = outcomes.find(({ kind }) => kind !== 'answer');
  if (missing !== undefined && missing.kind !== 'answer') return notChecked(missing.why);
  if (outcomes.every(isRefusedKey))
    return notChecked('a key of another workspace that is let in (otherApiKey)');
  return holds(true, expected, expected);
}
