import { createReferenceServer } from 'messaging-automation/server';
import { expect, test } from 'vitest';
import { nextInWords, pathOf } from '../../../src/workbench/reading/journey-path.js';
import { eventPropertiesIn } from '../../../src/workbench/reading/journey-runs.js';

const steps = [
  { send: 'welcome', variables: { '1': { contact: 'firstName' }, '2': { event: 'orderId' }, '3': 'fixed' } },
  {
    branch: { segment: 'regulars' },
    do: [{ wait: '90s' as const }, { send: 'thank_you', variables: { '1': { event: 'total' } } }],
    else: [{ branch: { property: 'city', equals: 'Paris' }, do: [{ send: 'paris' }] }],
  },
  { wait: '1h' as const },
];

test('the steps of a journey are in words, each with the position that the server counts', () => {
  expect(pathOf({ steps })).toEqual([
    {
      kind: 'send',
      position: 0,
      text: 'send welcome',
      variables: ['{{1}} firstName of the contact', '{{2}} orderId of the event', '{{3}} “fixed”'],
    },
    {
      kind: 'branch',
      position: 1,
      text: 'if in segment regulars',
      holds: [
        { kind: 'wait', position: 2, text: 'wait 1 m 30 s' },
        { kind: 'send', position: 3, text: 'send thank_you', variables: ['{{1}} total of the event'] },
      ],
      otherwise: [
        {
          kind: 'branch',
          position: 5,
          text: 'if city is Paris',
          holds: [{ kind: 'send', position: 6, text: 'send paris', variables: [] }],
          otherwise: [],
        },
      ],
    },
    { kind: 'wait', position: 7, text: 'wait 1 h' },
  ]);
});

test('a run of the server stands at the step that the page shows', async () => {
  await using server = createReferenceServer({
    clock: 'frozen',
    templates: [{ id: 'last', body: 'Good bye' }],
    contacts: [{ phone: '+15551234567', properties: { city: 'Oslo' } }],
    journeys: [
      {
        id: 'visit',
        event: 'visited',
        steps: [
          { branch: { property: 'city', equals: 'Paris' }, do: [{ wait: '1m' }], else: [{ wait: '2m' }] },
          { send: 'last' },
        ],
      },
    ],
  });
  await server.client.events.track({ phone: '+15551234567', event: 'visited' });
  await server.settled();
  const [run] = await server.journal.journeyRuns();
  const [journey] = await server.journeys.list();
  expect(nextInWords(journey, run?.position ?? -1)).toBe('send last');
});

test('after the last step a run ends, and so it does where its journey was removed', () => {
  expect(nextInWords({ steps }, 8)).toBe('end');
  expect(nextInWords(undefined, 0)).toBe('end: the journey was removed');
  expect(nextInWords({ steps }, 6)).toBe('send paris');
});

test('the properties of the event that a journey uses are found in all branches, each once', () => {
  expect(eventPropertiesIn([...steps, ...steps])).toEqual(['orderId', 'total']);
});
