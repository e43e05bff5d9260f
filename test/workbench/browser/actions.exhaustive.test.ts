import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { nowhere } from '../../cli/http-servers.js';
import { describeInBrowser, eventually } from './in-browser.js';
import { acknowledge, phone, serveWorkbench, usualSeed } from './served-workbench.js';

const permissions = ['clipboard-read', 'clipboard-write'];
const clipboardOf = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

describeInBrowser('an action in the workbench changes the workspace', ({ open }) => {
  test('the first steps: three clicks to a webhook that fails and then succeeds, and the lines to copy', async () => {
    const server = await serveWorkbench({ workspaceId: 'empty', clock: 'frozen' });
    const { page } = await open(server.page, { permissions });
    await page.getByRole('button', { name: 'Copy the lines with the key' }).click();
    const lines = `export MESSAGING_AUTOMATION_BASE_URL=${server.url}/api\nexport MESSAGING_AUTOMATION_API_KEY='test_key'`;
    await eventually(() => clipboardOf(page)).toBe(lines);
    expect(await page.getByText('test_key').count()).toBe(0);
    await page.getByRole('button', { name: 'Copy the command with the key' }).click();
    await eventually(() => clipboardOf(page)).toContain(
      `${lines}\nnpx messaging-automation listen --forward-to `,
    );
    await page.getByRole('button', { name: 'Close the notice' }).click();
    await eventually(() => page.getByText('Copied.').count()).toBe(0);
    const steps = page.getByRole('list', { name: 'First steps' }).getByRole('listitem');
    const done = () => steps.filter({ hasText: 'done' }).count();
    await page.getByRole('button', { name: 'Connect the built-in receiver' }).dblclick();
    await eventually(done).toBe(1);
    expect(await server.list('/control/subscriptions')).toHaveLength(1);
    await page.getByRole('button', { name: 'Write “Hello” as Ada' }).click();
    await eventually(done).toBe(3);
    await steps.getByText('401').waitFor();
    await page
      .getByRole('button', { name: 'Let the built-in receiver accept and advance to the retry' })
      .click();
    await eventually(done).toBe(4);
    const [delivery] = await server.list('/control/deliveries');
    expect(delivery).toMatchObject({ status: 'delivered', attempts: [{ status: 401 }, { status: 200 }] });
  });

  test('subscriptions: made, refused, shown alone, deleted', async () => {
    const server = await serveWorkbench();
    const { page, problems } = await open(server.page, { permissions });
    const subscriptions = () => server.list('/control/subscriptions');
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByRole('button', { name: 'Copy the command' }).click();
    const url = page.getByLabel('URL of your receiver');
    const subscribe = page.getByRole('button', { name: 'Subscribe', exact: true });
    problems.expect(/400/);
    await url.fill('http://192.0.2.1/hooks');
    await subscribe.click();
    await page.getByRole('alert').waitFor();
    expect(await subscriptions()).toEqual([]);

    const dead = `${await nowhere()}/hooks`;
    await url.fill(dead);
    await page.getByLabel('contact.opted_out').uncheck();
    await subscribe.click();
    await page.getByText('Subscribed. Your receiver needs this secret:').waitFor();
    const [created] = await subscriptions();
    expect((await subscriptions())[0]).toMatchObject({
      url: dead,
      events: ['message.received', 'contact.opted_in'],
    });
    const { secret } = Object(await server.ask('GET', `/control/subscriptions/${created?.id}/secret`));
    await page.getByRole('button', { name: 'Copy as WEBHOOK_SECRET=…' }).click();
    await eventually(() => clipboardOf(page)).toBe(`WEBHOOK_SECRET=${secret}`);
    await page.getByRole('button', { name: 'Done' }).click();

    await page.getByRole('button', { name: 'Subscribe …' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await server.subscribe(await acknowledge());
    await server.receive('Hello');
    const rows = page.getByRole('list', { name: 'Deliveries, newest first' }).getByRole('listitem');
    await eventually(() => rows.count()).toBe(2);
    await page
      .getByRole('link', { name: new URL(dead).host })
      .first()
      .click();
    await eventually(() => rows.count()).toBe(1);

    await page.getByRole('button', { name: `Delete the subscription of ${new URL(dead).host}` }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await eventually(async () => (await subscriptions()).length).toBe(1);
  });

  test('a delivery: broken, redelivered, its secret shown', async () => {
    const server = await serveWorkbench({ ...usualSeed, clock: 'frozen' });
    const { id } = await server.subscribe(await acknowledge());
    await server.receive('Hello');
    const { page } = await open(server.page, { permissions });
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByRole('link', { name: /Delivery \/.*Ada “Hello”.*delivered/s }).click();
    const { secret } = Object(await server.ask('GET', `/control/subscriptions/${id}/secret`));
    await page.getByRole('button', { name: 'Show the secret' }).click();
    await page.getByText(secret).waitFor();
    await page.getByRole('button', { name: 'Copy the secret' }).click();
    await eventually(() => clipboardOf(page)).toBe(secret);

    await page.getByLabel('Break the next attempt of a message.received').selectOption('gets a 500');
    await eventually(async () => (await server.list('/control/faults')).length).toBe(1);
    await page.getByRole('button', { name: 'Redeliver now' }).click();
    const statuses = async () => (await server.list('/control/deliveries')).map(({ status }) => status);
    await eventually(statuses).toEqual(['delivered', 'pending']);
    await page.getByRole('link', { name: /Delivery \/.*500 · Ada “Hello”.*retry in/s }).waitFor();
    // What waits for a retry has not failed.
    expect(await page.getByRole('link', { name: /failing/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Close the delivery' }).click();
    await page.getByText('Select a delivery to see its attempts').waitFor();
    await page.getByRole('list', { name: 'Deliveries, newest first' }).getByRole('link').first().click();
    await page.getByRole('group', { name: 'Why the delivery failed' }).getByText(/fault/).first().waitFor();
    await page.getByRole('button', { name: /^to next: in 10 s/ }).click();
    await eventually(statuses).toEqual(['delivered', 'delivered']);
    await page.getByText(/^2 · 20\d/).waitFor();
  });

  test('the clock: frozen, moved, flowing', async () => {
    const server = await serveWorkbench({ ...usualSeed, now: '2026-03-02T09:00:00Z', clock: 'frozen' });
    const { page } = await open(server.page);
    const clock = page.getByRole('group', { name: 'Clock of the workspace' });
    const shows = (text: string) => clock.getByText(text).waitFor();
    await shows('09:00:00');
    for (const [button, time] of [
      ['+1m: advance the clock by one minute', '2026-03-02T09:01:00.000Z'],
      ['+1h: advance the clock by one hour', '2026-03-02T10:01:00.000Z'],
      ['+1d: advance the clock by one day', '2026-03-03T10:01:00.000Z'],
    ] as const) {
      await clock.getByRole('button', { name: button }).click();
      await shows(time.slice(11, 19));
      expect(await server.ask('GET', '/control/clock')).toMatchObject({
        now: Date.parse(time),
        flow: 'frozen',
      });
    }
    await clock.getByRole('button', { name: 'The clock is frozen. Let it flow.' }).click();
    await clock.getByRole('button', { name: 'The clock is flowing. Freeze it.' }).waitFor();
    expect(await server.ask('GET', '/control/clock')).toMatchObject({ flow: 'flowing' });
    await clock.getByRole('button', { name: 'The clock is flowing. Freeze it.' }).click();
    await clock.getByRole('button', { name: 'The clock is frozen. Let it flow.' }).waitFor();
    expect(await server.ask('GET', '/control/clock')).toMatchObject({ flow: 'frozen' });
  });

  test('the phone: messages, consent, properties, an event, a template, contacts', async () => {
    const server = await serveWorkbench();
    const { page, problems } = await open(server.page);
    problems.expect(/404/); // The phone asks for the contact that is deleted.
    const handset = page.getByRole('complementary', { name: 'Phone' });
    const chat = handset.getByRole('list', { name: 'Conversation' });
    const press = (name: string) => handset.getByRole('button', { name, exact: true }).click();
    const contact = async (of = phone) =>
      Object(await server.ask('GET', `/control/contacts/${encodeURIComponent(of)}`));
    await handset.getByRole('textbox', { name: 'Write as Ada' }).fill('Hello!');
    await press('Send');
    await chat.getByText('Hello!', { exact: true }).waitFor();
    expect((await server.list('/control/journal?type=message'))[0]).toMatchObject({
      phone,
      body: 'Hello!',
    });
    await press('Write START: opt in');
    await handset.getByText('opted in', { exact: true }).first().waitFor();
    await press('Write STOP: opt out');
    await handset.getByText('opted out', { exact: true }).first().waitFor();
    expect(await contact()).toMatchObject({ consent: 'opted_out' });
    await press('Write START: opt in');
    await eventually(contact).toMatchObject({ consent: 'opted_in' });

    await press('Properties');
    const first = handset.getByRole('form', { name: 'Property firstName' });
    await first.getByRole('textbox').fill('Grace');
    await first.getByRole('button', { name: 'Set' }).click();
    await eventually(contact).toMatchObject({ properties: { firstName: 'Grace' } });
    await handset.getByText('+ Add a property').click();
    await handset.getByLabel('Name', { exact: true }).fill('city');
    await handset.getByLabel('Value').fill('Paris');
    await press('Add');
    await eventually(contact).toMatchObject({ properties: { firstName: 'Grace', city: 'Paris' } });
    await handset.getByLabel('Name', { exact: true }).fill('visits');
    await handset.getByLabel('Value').fill('3');
    await press('Add');
    await eventually(contact).toMatchObject({ properties: { visits: 3 } });
    const visits = handset.getByRole('form', { name: 'Property visits' });
    await visits.getByRole('textbox').fill('many');
    await visits.getByRole('button', { name: 'Set' }).click();
    await visits.getByText('Write JSON such as 3.').waitFor();
    await visits.getByRole('textbox').fill('4');
    await visits.getByRole('button', { name: 'Set' }).click();
    await eventually(contact).toMatchObject({ properties: { visits: 4 } });
    const added: readonly (readonly [string, string, unknown])[] = [
      ['member', 'true', true],
      ['likes', '["tea", "rain"]', ['tea', 'rain']],
    ];
    for (const [name, text, value] of added) {
      await handset.getByLabel('Name', { exact: true }).fill(name);
      await handset.getByLabel('Value').fill(text);
      await press('Add');
      await eventually(contact).toMatchObject({ properties: { [name]: value } });
    }
    const likes = handset.getByRole('form', { name: 'Property likes' });
    await likes.getByRole('textbox').fill('["tea"]');
    await likes.getByRole('button', { name: 'Set' }).click();
    await eventually(contact).toMatchObject({ properties: { member: true, likes: ['tea'] } });

    await press('Event');
    await handset.getByLabel('Event', { exact: true }).fill('signed_up');
    await handset.getByLabel('Properties, as JSON').fill('{"plan": "pro"}');
    await press('Track the event');
    await eventually(() => server.list('/control/events')).toMatchObject([
      { event: 'signed_up', properties: { plan: 'pro' } },
    ]);

    await press('Template');
    await handset.getByLabel('{{2}}').fill('A-1001');
    await handset.getByText('your order A-1001 is on its way.').waitFor();
    await press('Send');
    await eventually(() => server.list('/control/sends')).toMatchObject([{ templateId: 'order_update' }]);
    await press('Chat');
    await chat.getByText('your order A-1001 is on its way.').waitFor();
    expect(await chat.getByText('although opted out').count()).toBe(0);
    await press('Write STOP: opt out');
    await eventually(contact).toMatchObject({ consent: 'opted_out' });
    const variables = { '1': 'Ada', '2': 'A-1002' };
    await server.ask('POST', '/api/v1/transactional', { phone, templateId: 'order_update', variables });
    const toOptedOut = chat.getByRole('listitem').filter({ hasText: 'your order A-1002 is on its way.' });
    await toOptedOut.getByText('although opted out').waitFor();
    await page.getByRole('link', { name: 'the contact had opted out' }).waitFor();

    const other = '+15557654321';
    await handset.getByRole('button', { name: /all contacts/ }).click();
    await handset.getByText('+ New contact').click();
    await handset.getByLabel('Phone', { exact: true }).fill(other);
    await handset.getByLabel('First name (optional)').fill('Linus');
    await press('Create the contact');
    await handset.getByRole('button', { name: /Linus.*all contacts/ }).waitFor();
    expect(await contact(other)).toMatchObject({ properties: { firstName: 'Linus' } });
    await press('Properties');
    await press('Delete the contact');
    await page
      .getByRole('dialog', { name: `Delete ${other} for good?` })
      .getByRole('button', { name: 'Delete' })
      .click();
    await eventually(() => server.status('GET', `/control/contacts/${encodeURIComponent(other)}`)).toBe(404);

    await handset.getByRole('button', { name: /all contacts/ }).click();
    await handset.getByLabel('Find a contact').fill('gra');
    await handset.getByRole('list', { name: 'Contacts' }).getByRole('link').click();
    await handset.getByRole('button', { name: /Grace.*all contacts/ }).waitFor();
    await handset.getByRole('link', { name: 'timeline' }).click();
    await page.getByRole('button', { name: `Remove the filter by contact ${phone}` }).waitFor();
  });

  test('journeys: added, started, advanced', async () => {
    const server = await serveWorkbench({ ...usualSeed, clock: 'frozen' });
    const { page } = await open(server.page);
    await page.getByRole('link', { name: 'Journeys' }).click();
    await page.getByRole('button', { name: 'Add this journey' }).click();
    const card = page.getByRole('region', { name: 'Journey example_journey' });
    await eventually(() => server.list('/control/journeys')).toMatchObject([{ id: 'example_journey' }]);
    await card.getByLabel('name', { exact: true }).fill('Ada');
    await card.getByRole('button', { name: 'Track signed_up' }).click();
    const runs = () => server.list('/control/journey-runs');
    await eventually(runs).toMatchObject([{ status: 'waiting' }]);
    await card.getByRole('link', { name: 'on the path' }).click();
    await card.getByRole('link', { name: 'all runs' }).click();
    await card.getByRole('button', { name: /^Advance all to .* \(1 run\)$/ }).click();
    await eventually(runs).toMatchObject([{ status: 'finished' }]);

    await card.getByRole('link', { name: 'on the path' }).click();
    await card.getByText('no', { exact: true }).waitFor();
    await card.getByText('yes · not taken').waitFor();
    const times = await card
      .locator('.path time')
      .evaluateAll((all) => all.map((each) => each.getAttribute('datetime')));
    expect(times).toHaveLength(3);
    expect(Date.parse(String(times[2])) - Date.parse(String(times[0]))).toBe(3_600_000);
    await card.getByRole('link', { name: 'timeline' }).click();
    await page.getByRole('region', { name: 'Timeline' }).waitFor();
  });

  test('journeys: written, refused, changed, removed', async () => {
    const server = await serveWorkbench({ ...usualSeed, clock: 'frozen' });
    const { page, problems } = await open(server.page);
    problems.expect(/400/); // The server refuses a journey.
    await page.getByRole('link', { name: 'Journeys' }).click();
    await page.getByText('Add a journey', { exact: true }).click();
    const adding = page.getByRole('form', { name: 'Add a journey' });
    const text = adding.getByLabel('Journey, as in a seed');
    const add = adding.getByRole('button', { name: 'Add the journey' });
    const journeys = () => server.list('/control/journeys');
    await text.fill('{ "id": ');
    await add.click();
    await adding.getByText('The journey is not a JSON object.').waitFor();
    await text.fill(JSON.stringify({ id: 'thanks', event: 'paid', steps: [{ send: 'nothing' }] }));
    await add.click();
    await adding.getByText('steps[0].send is not the id of a template').waitFor();
    expect(await journeys()).toEqual([]);
    const written = { id: 'thanks', event: 'paid', steps: [{ wait: '1h' }] };
    await text.fill(JSON.stringify(written));
    await add.click();
    await eventually(journeys).toEqual([written]);

    const card = page.getByRole('region', { name: 'Journey thanks' });
    await card.getByText('Change or remove').click();
    const changing = card.getByLabel('Journey, as in a seed');
    expect(JSON.parse(await changing.inputValue())).toEqual(written);
    await changing.fill(JSON.stringify({ ...written, steps: [{ wait: '2h' }] }));
    await card.getByRole('button', { name: 'Save the journey' }).click();
    await card.getByText('wait 2 h').waitFor();
    expect(await journeys()).toEqual([{ ...written, steps: [{ wait: '2h' }] }]);
    await card.getByRole('button', { name: 'Remove thanks' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove thanks' }).click();
    await eventually(journeys).toEqual([]);
    await page.getByRole('heading', { name: 'No journey yet' }).waitFor();
  });

  test('a refused send and failed deliveries: fixed and tried again by one button', async () => {
    const server = await serveWorkbench({ ...usualSeed, quota: 0, clock: 'frozen' });
    const { page } = await open(server.page);
    const body = { phone, templateId: 'order_update', variables: { '1': 'Ada', '2': 'A1' } };
    expect(await server.status('POST', '/api/v1/transactional', body)).toBe(402);
    await page.getByRole('link', { name: /POST \/v1\/transactional.*402/s }).click();
    await page.getByRole('button', { name: 'Restore 100 sends and send again' }).dblclick();
    await eventually(async () => (await server.list('/control/sends')).length).toBe(1);
    expect(await server.ask('GET', '/control/quota')).toMatchObject({ quota: 99 });

    await server.ask('PUT', '/control/receiver', { mode: 'error' });
    const { url } = Object(await server.ask('GET', '/control/receiver'));
    const events = ['message.received'];
    await server.ask('POST', '/control/managed-webhooks', { url, events });
    for (const text of ['one', 'two']) await server.receive(text);
    await server.ask('POST', '/control/clock/run-to-idle');
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByLabel('The built-in receiver responds').selectOption('verify');
    await page.getByRole('button', { name: 'Retry all 2 failed' }).dblclick();
    const statuses = async () => (await server.list('/control/deliveries')).map(({ status }) => status);
    await eventually(statuses).toEqual(['failed', 'failed', 'delivered', 'delivered']);
    await eventually(() => page.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
  });

  test('a request: its headers without the key, and sent again as it was, with success or without', async () => {
    const server = await serveWorkbench();
    const { page, problems } = await open(server.page);
    problems.expect(/400/); // The browser logs the refused request.
    await server.ask('POST', '/api/v1/contacts', {
      phone: '+15557654321',
      properties: { firstName: 'Grace' },
    });
    await server.status('POST', '/api/v1/contacts', { phone: 'nobody' });
    const requests = async () =>
      (await server.list('/control/journal')).map(({ status, body }) => [status, body]);
    const [made, refused] = await requests();

    await page.getByRole('link', { name: /POST \/v1\/contacts.*400/s }).click();
    await eventually(() => page.locator('.detail').innerText()).toMatch(
      /^authorization: \*\*\*$[\s\S]*^X-Request-Id: request_\w+$[\s\S]*^Content-Type: application\/json/im,
    );
    expect(await page.locator('.detail').innerText()).not.toContain('test_key');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Sent again. The API responded with 400.').waitFor();
    expect(await requests()).toEqual([made, refused, refused]);

    await page.getByRole('link', { name: /POST \/v1\/contacts.*201/s }).click();
    await page.getByRole('heading', { name: /POST \/v1\/contacts/ }).waitFor();
    await page.keyboard.press('r');
    await page.getByText('Sent again. The API responded with 200.').waitFor();
    expect(await requests()).toEqual([made, refused, refused, [200, made?.[1]]]);
  });

  test('a remedy that ran does not run again before the page has read what it did', async () => {
    const server = await serveWorkbench({ ...usualSeed, quota: 0, clock: 'frozen' });
    const { page } = await open(server.page);
    const body = { phone, templateId: 'order_update', variables: { '1': 'Ada', '2': 'A1' } };
    await server.status('POST', '/api/v1/transactional', body);
    await page.getByRole('link', { name: /POST \/v1\/transactional.*402/s }).click();
    const remedy = page.getByRole('button', { name: 'Restore 100 sends and send again' });
    await remedy.waitFor();
    await page.route(/control\/journal\/\d+$/, () => {}); // what the page reads from now on never comes
    await remedy.click();
    await eventually(async () => (await server.list('/control/sends')).length).toBe(1);
    await eventually(() => remedy.isDisabled()).toBe(true);
  });

  test('the workspace: templates, faults, sends left, gaps', async () => {
    const server = await serveWorkbench();
    const { page, problems } = await open(`${server.page}`);
    problems.expect(/400/); // The server rejects a value of a gap.
    await page.getByRole('link', { name: 'Workspace' }).click();
    const templates = () => server.list('/control/templates');
    await page.getByLabel('Status of order_update').selectOption('paused');
    await eventually(templates).toMatchObject([{ status: 'paused' }]);
    await page.getByLabel('Edit order_update').click();
    const text = page.getByRole('form', { name: 'Text of order_update' });
    await text.getByLabel('Text').fill('Hi {{1}}');
    await text.getByRole('button', { name: 'Save the text' }).click();
    await eventually(templates).toMatchObject([{ body: 'Hi {{1}}' }]);
    await page.getByText('+ Add a template').click();
    const add = page.getByRole('form', { name: 'Add a template' });
    await add.getByLabel('Id').fill('bye');
    await add.getByLabel('Text').fill('Bye!');
    await add.getByRole('button', { name: 'Add' }).click();
    await eventually(templates).toMatchObject([{ id: 'order_update' }, { id: 'bye', body: 'Bye!' }]);
    await page.getByLabel('Edit bye').click();
    await page.getByRole('button', { name: 'Remove bye' }).click();
    await page
      .getByRole('dialog', { name: /^Remove bye\?/ })
      .getByRole('button', { name: 'Remove' })
      .click();
    await eventually(templates).toMatchObject([{ id: 'order_update' }]);

    const faults = () => server.list('/control/faults');
    await page.getByText('+ Add a fault').click();
    const fault = page.getByRole('form', { name: 'Add a fault' });
    await fault.getByLabel('Requests or deliveries').selectOption('contacts.upsert');
    await fault.getByLabel('Fault').selectOption('returns 503, retry after 2 s');
    await fault.getByLabel(/imes/).fill('2');
    await fault.getByRole('button', { name: 'Add the fault' }).click();
    await eventually(faults).toMatchObject([
      { rule: { operation: 'contacts.upsert', fault: { kind: 'status', status: 503 }, times: 2 } },
    ]);
    await page.getByRole('button', { name: /^Remove the fault:/ }).click();
    await eventually(faults).toEqual([]);
    for (const count of [1, 2]) {
      await fault.getByRole('button', { name: 'Add the fault' }).click();
      await eventually(async () => (await faults()).length).toBe(count);
    }
    await page.getByRole('button', { name: 'Remove all' }).click();
    await eventually(faults).toEqual([]);

    const quota = page.getByRole('form', { name: 'Sends left' });
    await quota.getByLabel('Plan').fill('5');
    await quota.getByLabel('Add-on credits').fill('2');
    await quota.getByRole('button', { name: 'Set' }).click();
    await eventually(() => server.ask('GET', '/control/quota')).toMatchObject({ quota: 5, addOnCredits: 2 });
    await page.getByRole('link', { name: '7 sends left' }).waitFor();

    const gaps = () => server.ask('GET', '/control/spec-gaps');
    await page.getByText('All gaps').click();
    const change = async (name: string, to: string) => {
      await page.getByLabel(name, { exact: true }).fill(to);
      await page.keyboard.press('Enter');
    };
    await change('retryBackoff', '["1s", "2s"]');
    await change('rateLimit', '{"requests": 10, "per": "1m"}');
    await eventually(gaps).toMatchObject({
      retryBackoff: ['1s', '2s'],
      rateLimit: { requests: 10, per: '1m' },
    });
    await change('rateLimit', 'off');
    await eventually(gaps).toMatchObject({ rateLimit: 'off' });
    await change('rateLimit', 'on');
    await page.getByText(/rateLimit must be/).waitFor();
  });

  test('the workspace: state, keys, another workspace', async () => {
    const server = await serveWorkbench();
    const { page, context } = await open(server.page, { permissions });
    const contacts = async () => (await server.list('/control/contacts')).length;
    await page.getByRole('link', { name: 'Workspace' }).click();
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save a snapshot' }).click();
    const snapshot = await downloaded;
    expect(snapshot.suggestedFilename()).toBe('snapshot.json');
    await server.ask('POST', '/api/v1/contacts', { phone: '+15557654321' });
    const buffer = Buffer.concat(await (await snapshot.createReadStream()).toArray());
    const file = { name: 'snapshot.json', mimeType: 'application/json', buffer };
    await page.getByLabel('Load a snapshot').setInputFiles(file);
    await page
      .getByRole('dialog', { name: /^Replace the whole workspace/ })
      .getByRole('button', { name: 'Load' })
      .click();
    await page.getByText('Snapshot loaded. The timeline starts again.').waitFor();
    expect(await contacts()).toBe(1);
    await server.ask('POST', '/api/v1/contacts', { phone: '+15557654321' });
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Reset to the seed? The history is lost.' })
      .getByRole('button', { name: 'Reset' })
      .click();
    await eventually(contacts).toBe(1);

    const opensWith = async (apiKey: string) => {
      const headers = { Authorization: `Bearer ${apiKey}` };
      return (await fetch(`${server.url}/control/clock`, { headers })).status;
    };
    await page.getByRole('button', { name: 'Issue another key' }).click();
    await page.getByRole('button', { name: 'Copy the key' }).click();
    await eventually(() => clipboardOf(page)).not.toBe('');
    const another = await clipboardOf(page);
    expect(await opensWith(another)).toBe(200);
    const opening = context.waitForEvent('page');
    await page.getByRole('button', { name: 'Open in a new tab' }).click();
    await (await opening).getByRole('link', { name: 'acme' }).waitFor();

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as seed' }).click();
    const seed = JSON.parse(
      Buffer.concat(await (await (await saved).createReadStream()).toArray()).toString('utf8'),
    );
    const second = Buffer.from(JSON.stringify({ ...seed, workspaceId: 'second', quota: 7 }));
    await page
      .getByLabel('Create a workspace from a seed')
      .setInputFiles({ ...file, name: 'seed.json', buffer: second });
    await page.getByText('second').first().waitFor();
    await eventually(async () =>
      (await server.list('/control/workspaces')).map(({ workspaceId }) => workspaceId),
    ).toContain('second');

    await page.getByRole('button', { name: "Rotate this page's key" }).click();
    await page
      .getByRole('dialog', { name: 'Rotate? The old key stops working.' })
      .getByRole('button', { name: 'Rotate' })
      .click();
    await page.getByText('Key rotated. The open tabs use the new one.').waitFor();
    expect(await opensWith('test_key')).toBe(401);
    await page.getByText(/^live/).waitFor();
    await page.reload();
    await page.getByText(/^live/).waitFor();
  });
});
