import type { WorkspaceSeed } from 'messaging-automation/server';
import { expectTypeOf, test } from 'vitest';

test('a seed that stands in a constant of its own is one, without its type', () => {
  const constant = {
    clock: 'frozen',
    quota: 5,
    templates: [{ id: 'welcome', body: 'Welcome, {{1}}!', status: 'approved' }],
    contacts: [{ phone: '+15551234567', properties: { firstName: 'Ada', tags: ['vip'] } }],
    segments: [{ id: 'active', event: 'seen', within: '7d' }],
    journeys: [
      { id: 'greet', event: 'seen', steps: [{ wait: '1d' }, { send: 'welcome', variables: { '1': 'you' } }] },
    ],
    managedWebhooks: [{ url: 'https://example.com/', events: ['message.received'] }],
    faults: [{ operation: 'any', nth: 1, fault: { kind: 'status', status: 503 } }],
    specGaps: { errorBody: 'flat', retryBackoff: ['1s', '5s'] },
  } as const;
  expectTypeOf(constant).toExtend<WorkspaceSeed>();
});
