import { ConfigurationError, parseWorkspaceSeed } from 'messaging-automation/server';
import { describe, expect, test } from 'vitest';
import { askWith, notFound, startServer } from '../support/reference.js';

const events = ['message.received'] as const;
const url = 'https://platform.example.com/hooks';

test('a subscription that the service manages itself is neither listed nor deletable, and the workspace’s own beside it are', async () => {
  const server = startServer({ managedWebhooks: [{ url, events }], specGaps: { secretInList: 'shown' } });
  const [managed] = await server.managedWebhooks.list();
  const own = await server.client.webhooks.create({ url, events });
  expect((await server.client.webhooks.list()).map(({ id }) => id)).toEqual([own.id]);
  expect(await server.managedWebhooks.list()).toEqual([managed]);
  const ask = askWith(server);
  expect(await ask('DELETE', `/v1/webhooks/${managed?.id}`)).toMatchObject(notFound);
  expect((await ask('DELETE', `/v1/webhooks/${own.id}`)).status).toBe(204);
  expect(await server.managedWebhooks.list()).toEqual([managed]);
});

describe('a managed webhook that is not right', () => {
  test.each([
    [{ events }, 'managedWebhooks[0].url is required'],
    [{ url, events: [] }, 'managedWebhooks[0].events must not be empty'],
    [{ url, events: ['message.sent'] }, 'managedWebhooks[0].events[0] must be'],
    [{ url, events, secret: 'of the platform' }, 'managedWebhooks[0].secret must begin with whsec_'],
    [{ url, events, secret: 'whsec_' }, 'managedWebhooks[0].secret must begin with whsec_'],
    [{ url, events, enabled: false }, 'managedWebhooks[0].enabled is not a known field'],
  ])('is refused in a seed by field: %j', (webhook, words) => {
    expect(() => parseWorkspaceSeed({ managedWebhooks: [webhook] })).toThrow(words);
  });

  test.each([
    ['http://example.com/hooks', 'must begin with https://'],
    ['https://10.0.0.1/', 'must resolve to a public address'],
    ['hooks', 'must be a URL'],
  ])('is refused for where it leads: %s', async (wrong, words) => {
    const server = startServer({ apiKey: 'first' });
    const managedWebhooks = [
      { url, events },
      { url: wrong, events },
    ];
    expect(() => startServer({ managedWebhooks })).toThrow(`managedWebhooks[1].url ${words}`);
    expect(() => server.workspace({ managedWebhooks, apiKey: 'second' })).toThrow(ConfigurationError);
    // What was refused has taken nothing.
    expect(server.workspace({ apiKey: 'second' }).apiKey).toBe('second');
    const created = server.managedWebhooks.create({ url: wrong, events });
    await expect(created).rejects.toThrow(ConfigurationError);
    await expect(created).rejects.toThrow(`url ${words}`);
  });
});
