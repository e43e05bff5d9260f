import { differences } from '../comparison.js';
import type { ConformanceRun } from '../conformance-run.js';
import { holds, judge } from '../evidence.js';
import { contactIn, describeContact, type JsonObject } from '../exchange/body.js';
import { type ExchangeOutcome, isSuccess, needing } from '../exchange/outcome.js';

/** A contact's id and phone, as far as the run knows them. */
export type Identity = { readonly [Field in 'id' | 'phone']?: string | undefined };

/** Reads a contact by both endpoints, and compares it with what was asked. A property whose value is `undefined` must be missing. */
export async function readBack(run: ConformanceRun, contact: Identity, properties: JsonObject) {
  const asked = { ...properties, phone: contact.phone };
  const find = await run.find(contact.phone);
  const get = await run.get(contact.id);
  const [inFind, inGet] = [find, get].map((outcome) =>
    showsContact(outcome, contact) ? contactIn(outcome)?.properties : undefined,
  );
  const [wrongInFind, wrongInGet] = [inFind, inGet].map((shown) => shown && differences(asked, shown));
  const wrong =
    wrongInFind && wrongInGet
      ? wrongInFind.filter((problem) => wrongInGet.includes(problem))
      : (wrongInFind ?? wrongInGet);
  const judgeRead = (outcome: ExchangeOutcome, problems: readonly string[] = []) =>
    judge(outcome, {
      status: 'a success',
      expected: 'the contact, with the values that were asked',
      problems: () =>
        showsContact(outcome, contact)
          ? problems.filter((problem) => !wrong?.includes(problem))
          : ['not the contact that was asked for'],
      described: describeContact,
    });
  return {
    find,
    get,
    /** What the deployment shows of its properties. `undefined` if neither endpoint shows them. */
    properties: inFind ?? inGet,
    /** Whether each endpoint shows this contact, apart from values that were written wrongly. */
    found: judgeRead(find, wrongInFind),
    got: judgeRead(get, wrongInGet),
    /** Whether the properties were written as asked. Both endpoints show what was written wrongly. */
    written:
      wrong === undefined
        ? needing('a contact that can be read')
        : holds(wrong, 'read back with these values', 'read back, the values that were asked'),
  };
}

/**
 * Whether a response is a success about this contact. The document does not show its shape: each of the id and the phone that is shown
 * must be the contact's, and one of them must be shown.
 */
function showsContact(outcome: ExchangeOutcome, { id, phone }: Identity): boolean {
  if (!isSuccess(outcome)) return false;
  const contact = contactIn(outcome);
  if (contact === undefined) return id !== undefined && outcome.text.includes(id);
  const shown = [
    [contact.id === undefined ? undefined : String(contact.id), id],
    [contact.properties?.phone, phone],
  ].filter(([seen, wanted]) => seen !== undefined && wanted !== undefined);
  return shown.length > 0 && shown.every(([seen, wanted]) => seen === wanted);
}

/** Whether a response shows anything of this contact: its id or its phone. */
export function leaksContact(outcome: ExchangeOutcome, { id, phone }: Identity): boolean {
  if (!isSuccess(outcome) || id === undefined) return false;
  const contact = contactIn(outcome);
  if (contact === undefined) return outcome.text.includes(id);
  return String(contact.id) === id || (phone !== undefined && contact.properties?.phone === phone);
}
