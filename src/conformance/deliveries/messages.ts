import { deliveryDataFields } from '../../contract/delivery.js';
import { phoneSchema } from '../../contract/phone.js';
import { validate } from '../../contract/schema.js';
import { contactIn } from '../exchange/contact.js';
import { isObject, type JsonObject } from '../exchange/json.js';
import { isSuccess } from '../exchange/outcome.js';
import { isTimeOfRun } from '../exchange/time.js';
import { dataOf, laterTexts, type ObservedDeliveries } from './delivery-scenario.js';

const utcWithMilliseconds = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Whether a text is a timestamp in the format of §6, and a time of this run. */
export const isTimestamp = (text: string, observed: { readonly startedAt: number }) =>
  utcWithMilliseconds.test(text) && isTimeOfRun(Date.parse(text), observed);

/** The data of every delivery of a message. */
export const messagesIn = ({ deliveries }: ObservedDeliveries): readonly JsonObject[] =>
  deliveries
    .filter(({ receiver }) => receiver.startsWith('received'))
    .map(dataOf)
    .filter(isObject);

/** The texts that were sent and that no delivery has. */
export function missingTexts(observed: ObservedDeliveries): readonly string[] {
  const delivered = new Set(messagesIn(observed).map(({ body }) => writtenText(body)));
  return observed.texts.filter((text) => !delivered.has(writtenText(text)));
}

/** Whether some delivery has another text than the sent ones, or no text. Then a missing text may have been changed. */
export function hasOtherText(observed: ObservedDeliveries): boolean {
  const written = new Set([...observed.texts, ...laterTexts].map(writtenText));
  const count = observed.deliveries.filter(({ receiver }) => receiver.startsWith('received')).length;
  const messages = messagesIn(observed);
  return messages.length < count || messages.some(({ body }) => !written.has(writtenText(body)));
}

/** Ignores case and punctuation, because a person who types the texts may change them. */
const writtenText = (body: unknown) =>
  typeof body === 'string' ? body.toLowerCase().replace(/[^a-z]/g, '') : undefined;

/** The fields of `data` that are not as §6 shows them, in any of the messages. */
export function wrongFields(observed: ObservedDeliveries): readonly string[] {
  const messages = messagesIn(observed);
  const names = Object.keys(deliveryDataFields['message.received']);
  const wrong = names.filter((name) => messages.some((data) => isWrong(name, data, observed)));
  if (wrong.length > 0) return wrong;
  return [
    ...(hasOtherText(observed) && missingTexts(observed).length > 0 ? ['body'] : []),
    ...(hasSharedId(messages) ? ['messageId'] : []),
  ];
}

function isWrong(name: string, data: JsonObject, observed: ObservedDeliveries): boolean {
  const value = data[name];
  if (typeof value !== 'string') return true;
  switch (name) {
    case 'body':
      return false;
    case 'receivedAt':
      return !isTimestamp(value, observed);
    case 'phone':
      return !validate(phoneSchema, value).valid || isPhoneOfAnother(value, data.contactId, observed);
    case 'contactId':
      return value === '' || isContactOfAnother(value, data.phone, observed);
    default:
      return value === '';
  }
}

/** Whether the contact that `contactId` names has another phone. */
function isPhoneOfAnother(phone: string, contactId: unknown, { senders }: ObservedDeliveries): boolean {
  const sender = senders.get(String(contactId));
  const shown = sender !== undefined && isSuccess(sender) ? contactIn(sender)?.properties?.phone : undefined;
  return shown !== undefined && shown !== phone;
}

/** Whether `contactId` names another contact than the one with this phone, or no contact. */
function isContactOfAnother(
  contactId: string,
  phone: unknown,
  { contact, senders, canGet }: ObservedDeliveries,
): boolean {
  if (phone === contact.phone) return contactId !== contact.id;
  const sender = senders.get(contactId);
  return canGet && sender?.kind === 'response' && !sender.ok;
}

/** Whether messages of different texts have the same `messageId`. */
function hasSharedId(messages: readonly JsonObject[]): boolean {
  const texts = new Map<unknown, unknown>();
  return messages.some(({ messageId, body }) => {
    const other = texts.get(messageId);
    texts.set(messageId, body);
    return other !== undefined && other !== body;
  });
}
