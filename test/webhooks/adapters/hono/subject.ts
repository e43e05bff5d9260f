import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { toHonoHandler } from 'messaging-automation/webhooks';
import { listeningSite, type Subject } from '../support/subject.js';

/** The real Hono on Node. */
export const honoSubject: Subject = {
  name: 'Hono',
  open: (receiver, arrangement) => {
    const app = new Hono();
    app.use(async (context, next) => {
      if (arrangement === 'parsed') await context.req.json();
      if (arrangement === 'consumed') await context.req.arrayBuffer();
      await next();
    });
    app.all('/webhooks', toHonoHandler(receiver));
    const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
    return listeningSite((request, response) => void listener(request, response));
  },
};
