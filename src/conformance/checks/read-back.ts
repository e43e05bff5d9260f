import { differences } from '../comparison.js';
import type { ConformanceRun, OwnContact } from '../conformance-run.js';
import { holds, type Judgement, judge, notChecked } from '../evidence.js';
import { contactIn, describeContact } from '../exchange/contact.js';
import type { JsonObject } from '../exchange/json.js';
import { isSuccess, type Outcome } from '../exchange/outcome.js';

/** A contact as both endpoints show it, compared with what was asked. */
export interface ReadBack {
  readonly find: Outcome;
  readonly get: Outcome;
  /** What the deployment shows of its properties. `undefined` if neither endpoint shows them. */
  readonly properties: JsonObject | undefined;
  /** Whether each endpoint shows this contact, apart from values that were written wrongly. */
  readonly found: Judgement;
  readonly got: Judgement;
  /** Whether the properties were written as asked. Both endpoints show what was written wrongly. */
  readonly written: Judgement;
}

/** Reads a contact by both endpoints. A property whose value is `undefined` must be missing. */
export async function readBack(
  run: ConformanceRun,
  { id, phone, properties }: { readonly [Field in keyof OwnContact]: OwnContact[Field] | undefined },
): Promise<ReadBack> {
  const find = await run.find(phone);
  const get = await run.get(id);
  const shown = [find, get].map((outcome) =>
    showsContact(outcome, { id, phone }) ? contactIn(outcome)?.properties : undefined,
  );
  const [inFind, inGet] = shown.map((each) => each && differences({ ...properties, phone }, each));
  const wrong = inFind && inGet ? inFind.filter((problem) => inGet.includes(problem)) : (inFind ?? inGet);
  const judgeRead = (outcome: Outcome, problems: readonly string[] = []) =>
    judge(
      outcome,
      'the contact, with the values that were asked',
      () =>
        showsContact(outcome, { id, phone })
          ? problems.filter((problem) => wrong?.includes(problem) === false)
          : [`not the contact that was asked for`],
      describeContact,
    );
  return {
    find,
    get,
    properties: shown.find((each) => each !== undefined),
    found: judgeRead(find, inFind),
    got: judgeRead(get, inGet),
    written:
      wrong === undefined
        ? notChecked('a contact that can be read')
        : holds(wrong, 'read back with these values', 'read back, the values that were asked'),
  };
}

/**
 * Whether a response is a success about this contact. The document does not show its shape: each of the id and the phone that is shown
 * must be the contact's, and one of them must be shown.
 */
export function showsContact(
  outcome: Outcome,
  { id, phone }: { readonly id: string | undefined; readonly phone: string | undefined },
): boolean {
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
export function leaksContact(outcome: Outcome, { id, phone }: Pick<OwnContact, 'id' | 'phone'>): boolean {
  if (!isSuccess(outcome)) return false;
  const contact = contactIn(outcome);
  return contact === undefined
    ? outcome.text.includes(id)
    : String(contact.id) === id || contact.properties?.phone === phone;
}
