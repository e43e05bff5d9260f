import { ConfigurationError, MessagingAutomation } from 'messaging-automation';
import { describe, expect, test } from 'vitest';
import { answer } from './support/behaviours.js';
import { apiKey } from './support/samples.js';
import { clientOf, startService } from './support/service.js';

describe('withOptions', () => {
  test('takes over what it is not given, and leaves the client as it was', async () => {
    const service = await startService(answer(200, []));
    const messaging = clientOf(service, { headers: { 'x-tenant': 'blue' } });
    await messaging.withOptions({ apiKey: 'another-key' }).templates.list();
    await messaging.templates.list();

    expect(service.requests.map(({ headers }) => [headers.authorization, headers['x-tenant']])).toEqual([
      ['Bearer another-key', 'blue'],
      [`Bearer ${apiKey}`, 'blue'],
    ]);
  });

  test('may give a fetch in place of a transport, and the other way round', async () => {
    const options = { apiKey, baseUrl: 'https://a.test/api' };
    const transport = { exchange: async () => ({ status: 200, headers: new Headers(), body: '["t"]' }) };
    const fetch = async () => new Response('[{"id":"f"}]');
    const byTransport = new MessagingAutomation({ ...options, transport, validation: 'off' });

    expect(await byTransport.withOptions({ fetch }).templates.list()).toEqual([{ id: 'f' }]);
    expect(await byTransport.withOptions({ fetch }).withOptions({ transport }).templates.list()).toEqual([
      't',
    ]);
    expect(await byTransport.withOptions({ timeout: 5 }).templates.list()).toEqual(['t']);
  });

  test('refuses what makes no sense', () => {
    const messaging = clientOf({ baseUrl: 'https://a.test/api' });

    expect(() => messaging.withOptions({ timeout: -1 })).toThrow(ConfigurationError);
  });
});

describe('User-Agent', () => {
  test('names the package, the runtime and the application', async () => {
    const service = await startService(answer(200, []));
    const appInfo = { name: 'shop', version: '2.4.0', url: 'https://shop.example.com' };
    await clientOf(service).templates.list();
    await clientOf(service, { appInfo }).templates.list();
    await clientOf(service, { appInfo, headers: { 'User-Agent': 'mine' } }).templates.list();

    const [plain, named, replaced] = service.requests.map(({ headers }) => headers['user-agent'] ?? '');
    expect(plain).toMatch(/^messaging-automation\/\d+\.\d+\.\d+\S* (node|bun|deno)\/\d+\.\S+$/);
    expect(named).toBe(`${plain} shop/2.4.0 (https://shop.example.com)`);
    expect(replaced).toBe('mine');
  });

  test.each([
    { name: 'my shop' },
    { name: '' },
    { name: 'shop', version: '1 2' },
    { name: 'shop', url: 'https://a.test/(x)\r\n' },
  ])('refuses %j', (appInfo) => {
    expect(() => clientOf({ baseUrl: 'https://a.test/api' }, { appInfo })).toThrow(ConfigurationError);
  });
});
