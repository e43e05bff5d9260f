import { RequestError } from 'messaging-automation';
import type { Call, Deed } from './calls.js';
import type { OnApi } from './plan.js';
import type { Station } from './station.js';

/**
 * Makes a call, notes its outcome, and gives that back; undefined where there was none to make. Throws what is no
 * failure of a request.
 */
export async function callApi(
  station: Station,
  operation: OnApi,
  round: number,
): Promise<Call['outcome'] | undefined> {
  const { client, site, calls } = station;
  const options = station.optionsOf(operation);
  const token = `t${site.next()}`;
  const known = (phone: string) => station.contactIds.get(phone) ?? 'contact_nobody';
  const learn = (phone: string, contact: { readonly id: string } | null) => {
    if (typeof contact?.id === 'string') station.contactIds.set(phone, contact.id);
  };
  switch (operation.kind) {
    case 'upsert': {
      const { phone, city } = operation;
      const properties = { [token]: true, ...(city && { city }) };
      return noted(station, { kind: 'write', phone, token }, async () => {
        learn(phone, await client.contacts.upsert({ phone, properties }, options));
      });
    }
    case 'update': {
      const { phone } = operation;
      return noted(station, { kind: 'write', phone, token }, () =>
        client.contacts.update(known(phone), { properties: { [token]: true } }, options),
      );
    }
    case 'find':
      return outcomeOf(async () =>
        learn(operation.phone, await client.contacts.find(operation.phone, options)),
      );
    case 'get':
      return outcomeOf(() => client.contacts.get(known(operation.phone), options));
    case 'delete contact': {
      const { phone } = operation;
      const contactId = known(phone);
      return noted(station, { kind: 'delete_contact', phone, contactId }, () =>
        client.contacts.delete(contactId, options),
      );
    }
    case 'send': {
      const { phone, template } = operation;
      const templateId = template === 'draft' ? 'draft' : template === 'unknown' ? 'nothing' : 'hello';
      const variables = { '1': token, ...(template === 'right' && { '2': 'how are you?' }) };
      return noted(station, { kind: 'send', phone, token }, () =>
        client.transactional.send({ phone, templateId, variables }, options),
      );
    }
    case 'track': {
      const { phone, event, by } = operation;
      const whose = by === 'phone' ? { phone } : { contactId: known(phone) };
      return noted(station, { kind: 'track', phone, token, event }, () =>
        client.events.track({ event, ...whose, properties: { token } }, options),
      );
    }
    case 'subscribe': {
      const { receiver, events } = operation;
      const url = `${site.receivers.urlOf(receiver)}/r${round}/${token}`;
      const from = site.next();
      let created: { readonly id: string; readonly secret: string } | undefined;
      const outcome = await outcomeOf(async () => {
        const { id, secret } = await client.webhooks.create({ url, events: [...events] }, options);
        created = { id, secret };
        station.subscriptionIds.push(id);
      });
      station.note({ kind: 'subscribe', url, events, ...(created && { created }) }, from, outcome);
      return outcome;
    }
    case 'unsubscribe': {
      const { subscriptionIds } = station;
      const subscriptionId = subscriptionIds[operation.which % subscriptionIds.length];
      const gone = calls.some(
        (call) => call.kind === 'unsubscribe' && call.subscriptionId === subscriptionId,
      );
      // The last ones stay, for there to be deliveries.
      if (subscriptionId === undefined || gone || subscriptionIds.length < 5) return undefined;
      return noted(station, { kind: 'unsubscribe', subscriptionId }, () =>
        client.webhooks.delete(subscriptionId, options),
      );
    }
    case 'list subscriptions':
      return outcomeOf(() => client.webhooks.list(options));
    case 'list templates':
      return outcomeOf(() => client.templates.list(options));
  }
}

async function noted(
  station: Station,
  deed: Deed,
  call: () => Promise<unknown>,
): Promise<Call['outcome'] | undefined> {
  const from = station.site.next();
  const outcome = await outcomeOf(call);
  station.note(deed, from, outcome);
  return outcome;
}

async function outcomeOf(call: () => Promise<unknown>): Promise<Call['outcome']> {
  try {
    await call();
    return 'success';
  } catch (error) {
    if (error instanceof RequestError) return error.outcome;
    throw error;
  }
}
