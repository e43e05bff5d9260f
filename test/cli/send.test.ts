import { describe, expect, test } from 'vitest';
import { reply, startReceiver } from '../server/support/receiver.js';
import { nowhere, serveResponse } from './http-servers.js';
import { runCommand, serve } from './served.js';

const phone = '+15551234567';
const message = ['--to', phone, '--template', 'order_update', '--var', '1=Ada', '--var', '2=A=1'];

const send = (url: string, ...words: readonly string[]) =>
  runCommand(['send', ...message, '--url', url, ...words]);

describe('send', () => {
  test('sends one message with its variables, in words or as JSON, without the whole phone', async () => {
    const { url, ask } = await serve();
    const template = { id: 'order_update', body: 'Hello {{1}}, {{2}}', status: 'approved' };
    await ask('/control/templates', template, { method: 'PUT' });
    await ask('/api/v1/contacts', { phone });
    expect(await send(url)).toMatchObject({
      exitCode: 0,
      output: 'order_update is sent to +***67.',
      complaints: '',
    });
    const { lines } = await send(url, '--json');
    expect(lines.map((line) => JSON.parse(line))).toEqual([{ outcome: 'sent' }]);
    const { data } = await (await ask('/control/sends')).json();
    expect(data).toMatchObject([{ phone, text: 'Hello Ada, A=1' }, { phone }]);
  });

  test('takes --phone, too', async () => {
    const words = message.map((word) => (word === '--to' ? '--phone' : word));
    const { complaints } = await runCommand(['send', ...words, '--url', await nowhere()]);
    expect(complaints).toContain('Nothing was sent.');
  });

  test('says that the service rejected it, and why, without the whole phone', async () => {
    const { url } = await serve();
    const { exitCode, output, complaints } = await send(url, '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(output)).toEqual({
      error: expect.stringContaining('404 not_found'),
      exitCode: 1,
      outcome: 'rejected',
      status: 404,
      code: 'not_found',
    });
    expect(complaints).toMatch(/404 not_found.* Outcome: rejected\.\n$/);
    expect(output + complaints).not.toContain('5551234567');
  });

  test('says that nothing was sent where nothing responds', async () => {
    const { exitCode, complaints } = await send(await nowhere());
    expect({ exitCode, complaints }).toEqual({
      exitCode: 1,
      complaints: expect.stringContaining('Nothing was sent.'),
    });
  });

  test('sends a message whose response is lost once, and says that it may have been sent', async () => {
    const service = await startReceiver((response) => void response.destroy(), reply(200));
    const { exitCode, output, complaints } = await send(`http://127.0.0.1:${service.port}`, '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(output)).toMatchObject({ outcome: 'unknown' });
    expect(complaints).toMatch(/Check before you retry\..* Outcome: unknown\./);
    expect(service.received).toHaveLength(1);
  });

  test.each([
    ['no success', '{}'],
    ['a page', '<h1>Welcome</h1>'],
  ])('does not take %s for a success', async (_, body) => {
    const { exitCode, complaints } = await send(await serveResponse(200, 'application/json', body));
    expect({ exitCode, complaints }).toEqual({
      exitCode: 1,
      complaints: expect.stringContaining('Outcome: unknown'),
    });
  });
});
