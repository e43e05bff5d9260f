import { statements } from '../../contract/statements.js';
import { checkGroup } from '../check-group.js';
import { type ConformanceRun, contactNeeded } from '../conformance-run.js';
import { contactIdIn, type SeenContact } from '../exchange/contact.js';
import type { JsonObject } from '../exchange/json.js';
import { describeError, isSuccess, type Outcome } from '../exchange/outcome.js';
import { broken, type Judgement, notChecked } from '../judgement.js';
import { judgeRead } from './read-contact.js';

/** For each type a usual value, and values that faulty code may drop or truncate. */
const values = {
  conformance_number: 3,
  conformance_fraction: 1.5,
  conformance_negative: -7,
  conformance_zero: 0,
  conformance_true: true,
  conformance_false: false,
  conformance_list: ['chess', 'tea'],
  conformance_empty_list: [],
  conformance_text: 'Lovelace',
  conformance_empty_text: '',
};
const names = { 'favourite colour': 'blå', 名前: 'エイダ', 'a.b[0]': 'yes', conformanceCase: 'kept' };

/** §2 Contact, its properties: creates a contact with values of each type, then upserts properties with unusual names. */
async function observe(run: ConformanceRun) {
  const { phone } = await run.freePhone();
  const upsertOf = async (properties: JsonObject): Promise<Upsert> => {
    const outcome = await run.upsert(phone, properties);
    const id = contactIdIn(outcome);
    return { outcome, contact: isSuccess(outcome) ? await run.read({ id, phone }) : undefined };
  };
  return { canMake: run.contact !== undefined, values: await upsertOf(values), names: await upsertOf(names) };
}

interface Upsert {
  readonly outcome: Outcome;
  /** The contact as the deployment returns it afterwards. */
  readonly contact: SeenContact | undefined;
}

function judgeUpsert(canMake: boolean, { outcome, contact }: Upsert, wanted: JsonObject): Judgement {
  if (isSuccess(outcome)) return judgeRead(contact, wanted);
  if (outcome.kind === 'not_requested') return notChecked(outcome);
  // If the deployment creates no contact at all, these properties are not the reason.
  if (!canMake) return notChecked(contactNeeded);
  return broken(describeError(outcome), 'the properties as sent');
}

export const contactProperties = checkGroup({
  observe,
  checks: [
    {
      statement: statements.propertyTypes,
      judge: ({ canMake, values: upsert }) => judgeUpsert(canMake, upsert, values),
    },
    {
      statement: statements.propertyNames,
      judge: ({ canMake, names: upsert }) => judgeUpsert(canMake, upsert, names),
    },
  ],
});
