import { getRequestListener } from '@hono/node-server';
import { type ReceiverCore, toFetchHandler } from 'messaging-automation/webhooks';
import type { Arrangement } from '../support/faults.js';
import { listeningSite, type Subject } from '../support/subject.js';
import { bridged } from './bridge.js';

/** A Fetch handler behind the adapter that Hono's users on Node serve theirs with. */
export const fetchSubject: Subject = {
  name: 'Fetch',
  open: (receiver, arrangement) => {
    // Kept from replacing the global Request, which other tests look at.
    const listener = getRequestListener(arranged(receiver, arrangement), { overrideGlobalObjects: false });
    return listeningSite((request, response) => void listener(request, response));
  },
};

/** The same behind a bridge of a framework's own. */
export const bridgedSubject: Subject = {
  name: 'Fetch, bridged',
  open: (receiver, arrangement) => {
    const handle = arranged(receiver, arrangement);
    return listeningSite(bridged(handle));
  },
};

function arranged(receiver: ReceiverCore<unknown>, arrangement: Arrangement) {
  const handle = toFetchHandler(receiver);
  return async (request: Request): Promise<Response> => {
    if (arrangement === 'parsed') await request.json();
    if (arrangement === 'consumed') await request.arrayBuffer();
    return handle(request);
  };
}
