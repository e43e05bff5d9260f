import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import {
  createMemoryDedupeStore,
  createWebhookReceiver,
  signTestDelivery,
} from 'messaging-automation/webhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { notRun } from '../../run/debian.js';
import { freePort } from '../../run/free-port.js';
import { findNginx, startNginx } from '../../run/nginx-server.js';
import { startServer } from '../../server/support/reference.js';
import { withResolvers } from '../../waiting.js';
import { listeners } from './node/node-http.js';

const nginx = await findNginx();
const suffix = 'missing' in nginx ? notRun('receivers behind nginx', nginx.missing) : '';

describe.runIf('program' in nginx).each(Object.entries(listeners))(
  `%s behind nginx by its defaults${suffix}`,
  (_, listenerOf) => {
    test('handles once what comes again, also after the 502 of a restart', async () => {
      if ('missing' in nginx) return;
      const port = await freePort();
      const proxy = await startNginx(nginx.program, port);
      onTestFinished(proxy.stop);
      const service = startServer();
      const { secret } = await service.client.webhooks.create({
        url: `${proxy.url}/webhooks`,
        events: ['message.received'],
      });
      const dedupe = createMemoryDedupeStore({ clock: service.clock });
      const handled: string[] = [];
      let app: Server;
      const start = async () => {
        const receiver = createWebhookReceiver<unknown>({
          secret,
          dedupe,
          clock: service.clock,
          onRefused() {},
        }).on('message.received', ({ data }) => {
          handled.push(data.body);
          if (data.body === 'handled, but the response is lost') app.closeAllConnections();
        });
        app = createServer(await listenerOf(receiver)).listen(port, '127.0.0.1');
        await once(app, 'listening');
      };
      const stop = async () => {
        app.close();
        app.closeAllConnections();
        await once(app, 'close');
      };
      const write = async (body: string) => {
        await service.simulate.inboundMessage({ phone: '+15551234567', body });
        await service.settled();
      };
      await start();
      onTestFinished(stop);

      await write('sent twice');
      const [first] = await service.journal.deliveries();
      await service.deliveries.redeliver(first?.id ?? '');
      await service.settled();
      await service.faults.add({ delivery: 'message.received', nth: 1, fault: { kind: 'tamper' } });
      await write('changed on the way');
      await write('handled, but the response is lost');
      await stop();
      await write('sent while the app restarts');
      await start();
      await service.clock.advance('10s');

      const deliveries = await service.journal.deliveries();
      expect(deliveries.map(({ attempts }) => attempts.map(({ status }) => status))).toEqual([
        [204],
        [204], // again, by hand
        [401, 204],
        [502, 204],
        [502, 204],
      ]);
      expect(handled.toSorted()).toEqual([
        'changed on the way',
        'handled, but the response is lost',
        'sent twice',
        'sent while the app restarts',
      ]);
    });

    test('handles the deliveries of a contact in turn, and those of another one beside them', async () => {
      if ('missing' in nginx) return;
      const port = await freePort();
      const proxy = await startNginx(nginx.program, port);
      onTestFinished(proxy.stop);
      const secret = 'whsec_nginx';
      const seen: string[] = [];
      const others = withResolvers();
      const receiver = createWebhookReceiver<unknown>({ secret, inOrder: 'contact' }).on(
        'message.received',
        async ({ data }) => {
          seen.push(`${data.body} begins`);
          if (data.body === 'first') await others.promise;
          if (data.body === 'of another contact') others.resolve();
          seen.push(`${data.body} ends`);
        },
      );
      const app = createServer(await listenerOf(receiver)).listen(port, '127.0.0.1');
      onTestFinished(() => {
        app.close();
        app.closeAllConnections();
      });
      await once(app, 'listening');
      const deliver = async (contactId: string, body: string) => {
        const data = { contactId, messageId: body, body };
        const { bytes, headers } = signTestDelivery({ secret, event: 'message.received', data });
        return (await fetch(`${proxy.url}/webhooks`, { method: 'POST', body: bytes, headers })).status;
      };

      const first = deliver('contact_1', 'first');
      await once(app, 'request');
      const second = deliver('contact_1', 'second');
      await once(app, 'request');
      expect(await Promise.all([first, second, deliver('contact_2', 'of another contact')])).toEqual([
        204, 204, 204,
      ]);
      expect(seen).toEqual([
        'first begins',
        'of another contact begins',
        'of another contact ends',
        'first ends',
        'second begins',
        'second ends',
      ]);
    });
  },
);
