import { defineWorkspace, InvalidInputError, MessagingAutomation } from 'messaging-automation';
import { type WorkspaceFixtures, workspaceFixtures } from 'messaging-automation/vitest';
import { test as base, describe, expect } from 'vitest';
import * as z from 'zod';

const phone = '+15551234567';
const test = base.extend<WorkspaceFixtures>(
  workspaceFixtures({ quota: 1, templates: [{ id: 'welcome', body: 'Welcome, {{1}}!' }] }),
);

const definition = defineWorkspace({ properties: { firstName: z.string().trim().min(1) } });
const typed = base.extend<WorkspaceFixtures<typeof definition>>(
  workspaceFixtures({ quota: 1 }, { workspace: definition }),
);

typed(
  'the clients have the types and the checks of a workspace',
  async ({ messaging, workspace, referenceServer }) => {
    const { properties } = await messaging.contacts.upsert({ phone, properties: { firstName: ' Ada ' } });
    expect(properties.firstName?.toUpperCase()).toBe('ADA');
    for (const client of [
      messaging,
      workspace.client,
      referenceServer.client,
      referenceServer.workspace().client,
    ]) {
      const refused = client.contacts.upsert({ phone, properties: { firstName: ' ' } });
      await expect(refused).rejects.toThrow(InvalidInputError);
    }
    expect(await workspace.journal.find('request')).toHaveLength(1);
  },
);

typed(
  'the contacts of a workspace receive and take their own',
  async ({ messaging, workspace, referenceServer }) => {
    await workspace.templates.put({ id: 'tips', body: 'Ten tips.' });
    const ada = workspace.contact(phone);
    await ada.says('START');
    await messaging.transactional.send({ phone, templateId: 'tips' });
    await referenceServer.contact(phone).receivesNothing({ within: '1d' });
    await expect(ada.receivesNothing()).rejects.toThrow('"tips"');
    expect(await ada.receives('tips')).toMatchObject({ text: 'Ten tips.' });
    expect(await ada.chat()).toHaveLength(2);
  },
);

const workspacesSeen = new Set<string>();
const serversSeen = new Set<unknown>();

describe.concurrent('a hundred tests at once', () => {
  test.for(Array.from({ length: 100 }, (_, index) => index))(
    'number %i sees nothing of the others',
    async (index, { referenceServer, workspace, messaging, baseUrl, expect }) => {
      workspacesSeen.add(workspace.id);
      serversSeen.add(referenceServer);
      // By a socket and without one: the same workspace.
      const overSocket = new MessagingAutomation({ apiKey: workspace.apiKey, baseUrl });
      await overSocket.contacts.upsert({ phone, properties: { index } });
      expect((await messaging.contacts.find(phone))?.properties.index).toBe(index);
      await messaging.transactional.send({ phone, templateId: 'welcome', variables: { '1': `${index}` } });
      expect(await workspace.sends.waitFor()).toMatchObject({ text: `Welcome, ${index}!` });
      const before = workspace.clock.now();
      await workspace.clock.advance(index);
      expect(workspace.clock.now() - before).toBe(index);
      expect(await workspace.journal.quota()).toEqual({ quota: 0, addOnCredits: 0 });
      expect(await workspace.journal.find('request')).toHaveLength(3);
    },
  );
});

describe('afterwards', () => {
  test('each had its own workspace, all on one server, and none is left', async ({ referenceServer }) => {
    expect(workspacesSeen.size).toBe(100);
    expect([...serversSeen]).toEqual([referenceServer]);
    const [first] = workspacesSeen;
    // A workspace that has ended gives its id back.
    expect(referenceServer.workspace({ workspaceId: first }).id).toBe(first);
  });

  test('a client knows what it is a client of', ({ messaging }) => {
    expect(messaging).toBeInstanceOf(MessagingAutomation);
  });
});

describe('a seed of its own', () => {
  test.override('workspaceSeed', { quota: 7 });

  test('is what the workspaces of a describe begin with', async ({ workspace, messaging }) => {
    expect(await workspace.journal.quota()).toEqual({ quota: 7, addOnCredits: 0 });
    expect(await messaging.templates.list()).toEqual([]);
  });

  describe('is overridden', () => {
    test.override('workspaceSeed', ({ referenceServer }) => ({ workspaceId: `of_${referenceServer.id}` }));

    test('by one that asks for other fixtures', async ({ referenceServer, workspace }) => {
      expect(workspace.id).toBe(`of_${referenceServer.id}`);
    });
  });
});

describe('beside it', () => {
  test('the workspaces begin as before', async ({ workspace }) => {
    expect(await workspace.journal.quota()).toEqual({ quota: 1, addOnCredits: 0 });
  });

  const another = test.extend({ workspaceSeed: { quota: 3 } });

  another('a test that is extended has its own', async ({ workspace }) => {
    expect(await workspace.journal.quota()).toEqual({ quota: 3, addOnCredits: 0 });
  });
});
