import { workspaceFixtures } from 'messaging-automation/vitest';
import { test as base, expect } from 'vitest';

const seed = { templates: [{ id: 'welcome', body: 'Welcome, {{1}}!' }] };
const test = base.extend(workspaceFixtures(seed, { directory: 'failed' }));

for (const number of [1, 2]) {
  test(`each test has a workspace of its own: ${number}`, async ({ workspace, messaging, baseUrl }) => {
    const ada = workspace.contact('+15551234567');
    expect(await messaging.contacts.find(ada.phone)).toBeNull();
    await messaging.contacts.upsert({ phone: ada.phone });
    await messaging.transactional.send({ phone: ada.phone, templateId: 'welcome', variables: { 1: 'Ada' } });
    expect((await ada.receives('welcome')).text).toBe('Welcome, Ada!');
    const headers = { Authorization: `Bearer ${workspace.apiKey}` };
    expect((await fetch(`${baseUrl}/v1/templates`, { headers })).status).toBe(200);
  });
}

test.fails('a test that is to fail leaves no file', async ({ workspace }) => {
  expect(workspace.id).toBe('');
});
