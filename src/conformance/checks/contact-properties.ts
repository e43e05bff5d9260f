import { checkGroup } from '../check-group.js';
import type { ConformanceRun } from '../conformance-run.js';
import { contactIdIn, type SeenContact } from '../exchange/contact.js';
import type { JsonObject } from '../exchange/json.js';
import { describeError, isSuccess, type Outcome } from '../exchange/outcome.js';
import { broken, type Judgement, notChecked } from '../judgement.js';
import { judgeRead } from './read-contact.js';

const types = {
  conformance_number: 3,
  conformance_boolean: false,
  conformance_list: ['chess', 'tea'],
  conformance_text: 'Lovelace',
};
const names = { 'favourite colour': 'blå', 名前: 'エイダ', 'a.b[0]': 'yes' };

/** §2 Contact, its properties: a contact is made with one of each type, then given some of unusual names. */
async function observe(run: ConformanceRun) {
  const { phone } = await run.freePhone();
  const upsertOf = async (properties: JsonObject): Promise<Upsert> => {
    const outcome = await run.upsert(phone, properties);
    const id = contactIdIn(outcome);
    return { outcome, contact: isSuccess(outcome) ? await run.read({ id, phone }) : undefined };
  };
  return { canMake: run.contact !== undefined, types: await upsertOf(types), names: await upsertOf(names) };
}

interface Upsert {
  readonly outcome: Outcome;
  /** The contact as it reads afterwards. */
  readonly contact: SeenContact | undefined;
}

function judgeUpsert(canMake: boolean, { outcome, contact }: Upsert, wanted: JsonObject): Judgement {
  if (isSuccess(outcome)) return judgeRead(contact, wanted);
  // Where no contact can be made at all, the reason is not in these properties.
  if (!canMake || outcome.kind === 'not_asked') return notChecked('a contact that can be made');
  return broken(describeError(outcome), 'the properties, as they were given');
}

export const contactProperties = checkGroup({
  observe,
  checks: [
    {
      section: '§2',
      statement: 'Contact: a property is a string, a number, a boolean or an array of strings',
      judge: ({ canMake, types: upsert }) => judgeUpsert(canMake, upsert, types),
    },
    {
      section: '§2',
      statement: 'Contact: property names other than phone are free-form',
      judge: ({ canMake, names: upsert }) => judgeUpsert(canMake, upsert, names),
    },
  ],
});
