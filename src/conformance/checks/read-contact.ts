import { contactIn, type SeenContact } from '../exchange/contact.js';
import { fieldOf, isSame, type JsonObject } from '../exchange/json.js';
import { isSuccess, type Outcome } from '../exchange/outcome.js';
import { holds, type Judgement, notChecked } from '../judgement.js';

export const has = (properties: JsonObject, wanted: JsonObject) =>
  Object.entries(wanted).every(([name, value]) => isSame(fieldOf(properties, name), value));

/** Judges whether a contact that was read has the expected properties. */
export function judgeRead(contact: SeenContact | undefined, wanted: JsonObject): Judgement {
  const properties = contact?.properties;
  if (properties === undefined) return notChecked('a contact that can be read');
  const wrong = Object.keys(wanted).filter((name) => !isSame(fieldOf(properties, name), wanted[name]));
  if (wrong.length === 0) return holds(true, 'read back with these values', '');
  return holds(false, `read back, ${wrong.join(', ')}: missing or another value`, 'these values');
}

/** Whether a response is a success about one of these contacts. The document does not show its shape, so the id is enough. */
export function showsContact(outcome: Outcome, ids: readonly (string | undefined)[]): boolean {
  if (!isSuccess(outcome)) return false;
  const contact = contactIn(outcome);
  const known = ids.filter((id) => id !== undefined);
  if (contact?.id !== undefined) return known.length === 0 || known.includes(String(contact.id));
  return contact !== undefined || known.some((id) => outcome.text.includes(id));
}
