import { rejectedPhones, type WorkspaceSeed } from 'messaging-automation/server';

/** The people of each workspace. */
export const people: readonly [string, ...string[]] = [
  '+15550100000',
  ...Array.from({ length: 11 }, (_, index) => `+155501000${String(index + 1).padStart(2, '0')}`),
];

/** Those to whom the provider sends nothing. */
export const refusedPhones: readonly [string, ...string[]] = [
  '+15005550101',
  ...Object.keys(rejectedPhones).slice(1),
];

export const eventNames = ['order_placed', 'cart_left', 'page_seen', 'support_asked'] as const;

/** The templates of each workspace. Those that are named `step_…` are the journeys'. */
export const templates: NonNullable<WorkspaceSeed['templates']> = [
  { id: 'hello', body: 'Hello {{1}}, {{2}}' },
  { id: 'draft', body: 'Not yet {{1}}', status: 'pending' },
  { id: 'step_thanks', body: 'Thanks for {{1}}' },
  { id: 'step_reminder', body: 'You left {{1}}' },
  { id: 'step_last_call', body: 'Last call for {{1}}' },
  { id: 'step_regular', body: 'Welcome back, {{1}}' },
  { id: 'step_newcomer', body: 'Nice to meet you, {{1}}' },
  { id: 'step_city', body: 'See you in {{1}}' },
  { id: 'step_follow_up', body: 'How was {{1}}?' },
];

const token = { '1': { event: 'token' } };

/** What the workspaces share: segments that events feed, and journeys that wait, branch, send, and may fail. */
export const definitions: WorkspaceSeed = {
  templates,
  segments: [
    { id: 'regulars', event: 'order_placed', atLeast: 3 },
    { id: 'lookers', event: 'page_seen' },
    { id: 'lately', event: 'page_seen', atLeast: 2, within: '1m' },
  ],
  journeys: [
    { id: 'thanks', event: 'order_placed', steps: [{ send: 'step_thanks', variables: token }] },
    {
      id: 'reminders',
      event: 'cart_left',
      steps: [
        { wait: '30s' },
        { send: 'step_reminder', variables: token },
        { wait: '2m' },
        { send: 'step_last_call', variables: token },
      ],
    },
    {
      id: 'follow_up',
      event: 'order_placed',
      steps: [
        { wait: '5s' },
        {
          branch: { segment: 'regulars' },
          do: [{ send: 'step_regular', variables: token }],
          else: [{ send: 'step_newcomer', variables: token }],
        },
        { wait: '45s' },
        { send: 'step_follow_up', variables: token },
      ],
    },
    {
      id: 'city',
      event: 'support_asked',
      // Who has no city has a run that fails.
      steps: [{ send: 'step_city', variables: { '1': { contact: 'city' } } }],
    },
  ],
};

/** For each journey, the templates of every way through it. */
export const journeyWays: Readonly<Record<string, readonly (readonly string[])[]>> = {
  thanks: [['step_thanks']],
  reminders: [['step_reminder', 'step_last_call']],
  follow_up: [
    ['step_regular', 'step_follow_up'],
    ['step_newcomer', 'step_follow_up'],
  ],
  city: [['step_city']],
};

/** Which share of the POSTs each kind of subscription acknowledges: from nearly all to nearly none. */
export const acknowledgedShares = [0.97, 0.75, 0.55, 0.12] as const;
