import { signTestDelivery } from 'messaging-automation/webhooks';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeMatrix } from '../support/matrix.js';
import { sentAs } from '../support/sent.js';
import { type NextApplication, startNextApplication } from './application.js';
import { nextSubjects, siteAt } from './subjects.js';

const secret = 'whsec_example';
let application: NextApplication;

beforeAll(async () => {
  vi.stubEnv('WEBHOOK_SECRET', secret); // which the examples read
  application = await startNextApplication();
}, 300_000); // a build, which no network is needed for but a machine's full attention
afterAll(async () => {
  await application?.close();
  vi.unstubAllEnvs();
});

describeMatrix(
  'Next.js',
  nextSubjects(() => application.listener),
);

test.each(['app', 'pages'])(
  'the nextjs-%s example, in its place in an application, handles what was signed',
  async (router) => {
    using printed = vi.spyOn(console, 'log').mockReturnValue();
    const site = await siteAt(`/api/example-${router}`, application.listener);
    const delivery = signTestDelivery({ secret, data: { contactId: 'contact_1', body: 'Hello' } });

    expect(await site.send(sentAs(delivery.tampered()))).toBe(401);
    expect(printed).not.toHaveBeenCalled();
    expect(await site.send(sentAs(delivery))).toBe(204);
    expect(printed.mock.calls).toEqual([['contact_1: Hello']]);
    await site.close();
  },
);

test('Next.js itself answers OPTIONS where a route has only POST, and nothing is handled', async () => {
  using printed = vi.spyOn(console, 'log').mockReturnValue();
  const site = await siteAt('/api/example-app', application.listener);
  const sent = sentAs(signTestDelivery({ secret }));

  expect(await site.send({ ...sent, method: 'OPTIONS' })).toBe(204);
  expect(printed).not.toHaveBeenCalled();
  await site.close();
});
