import { differences } from '../comparison.js';
import type { ConformanceRun } from '../conformance-run.js';
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

type Identity = { readonly [Field in 'id' | 'phone']: string | undefined };

/** Reads a contact by both endpoints. A property whose value is `undefined` must be missing. */
export async function readBack(
  run: ConformanceRun,
  { id, phone }: Identity,
  properties: JsonObject,
): Promise<ReadBack> {
  const outcomes = [await run.find(phone), await run.get(id)] as const;
  const shown = outcomes.map((outcome) =>
    showsContact(outcome, { id, phone }) ? contactIn(outcome)?.properties : undefined,
  );
  const [inFind, inGet] = shown.map((each) => each && differences({ ...properties, phone }, each));
  const wrong = inFind && inGet ? inFind.filter((problem) => inGet.includes(problem)) : (inFind ?? inGet);
  const judgeRead = (outcome: Outcome, problems: readonly string[] = []) =>
    judge(outcome, {
      status: 'a success',
      expected: 'the contact, with the values that were asked',
      problems: () =>
        showsContact(outcome, { id, phone })
          ? problems.filter((problem) => wrong?.includes(problem) === false)
          : ['not the contact that was asked for'],
      described: describeContact,
    });
  return {
    find: outcomes[0],
    get: outcomes[1],
    properties: shown.find((each) => each !== undefined),
    found: judgeRead(outcomes[0], inFind),
    got: judgeRead(outcomes[1], inGet),
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
function showsContact(outcome: Outcome, { id, phone }: Identity): boolean {
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
export function leaksContact(outcome: Outcome, { id, phone }: Identity): boolean {
  if (!isSuccess(outcome) || id === undefined) return false;
  const contact = contactIn(outcome);
  if (contact === undefined) return outcome.text.includes(id);
  return String(contact.id) === id || (phone !== undefined && contact.properties?.phone === phone);
}
