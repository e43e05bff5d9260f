import { operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { checkGroup } from '../check-group.js';
import type { ConformanceRun } from '../conformance-run.js';
import { contactIdIn, contactIn } from '../exchange/contact.js';
import {
  describeError,
  describeStatus,
  isSuccess,
  notRequested,
  type Outcome,
  seeing,
} from '../exchange/outcome.js';
import { broken, holds, judge, notChecked } from '../judgement.js';
import { showsContact } from './read-contact.js';

const { deleted } = operations.contacts.delete.successes;
const given = { conformance_name: 'Ada', conformance_number: 38 };

/** §4 DELETE /v1/contacts/:id: creates a contact, deletes it, looks for it, and creates it again with only its phone. */
async function observe(run: ConformanceRun) {
  const { phone } = await run.freePhone();
  const created = await run.upsert(phone, given);
  const id = contactIdIn(created) ?? (isSuccess(created) ? contactIdIn(await run.find(phone)) : undefined);
  const removed = await run.delete(id);
  const found = await run.find(phone);
  const got = await run.get(id);
  const again = await run.upsert(phone);
  const newId = contactIdIn(again);
  const successor = isSuccess(again) ? await run.read({ id: newId, phone }) : undefined;
  const isGone = isSuccess(removed) && !showsContact(got, [id]) && id !== newId;
  const lost = isGone ? id : undefined;
  // The document does not show the response to the id of a deleted contact.
  const unknown = isGone
    ? { get: got, update: await run.update(lost, given), delete: await run.delete(lost) }
    : undefined;
  return {
    canMake: run.contact !== undefined,
    id,
    removed,
    found,
    got,
    again,
    newId,
    successor,
    isGone,
    unknown,
  };
}

export const contactDeletion = checkGroup({
  observe,
  checks: [
    {
      statement: statements.deletionRemovesProperties,
      judge: ({ isGone, again, successor }) => {
        if (!isGone) return notChecked('a contact that was deleted');
        const shown = [contactIn(again)?.properties, successor?.properties].filter(
          (each) => each !== undefined,
        );
        if (shown.length === 0) return notChecked('a contact, created again, that can be read');
        const left = Object.keys(given).filter((name) => shown.some((properties) => name in properties));
        if (left.length === 0) return holds(true, 'created again, it has none of them', '');
        return broken(`created again, it still has ${left.join(', ')}`, 'none of the old properties');
      },
    },
    {
      statement: statements.upsertWithoutProperties,
      judge: ({ canMake, again }) => {
        if (!canMake) return notChecked('a contact that can be created');
        return judge(again, 'a success', isSuccess, describeError);
      },
    },
    {
      statement: statements.deleteContact,
      judge: ({ removed }) =>
        judge(
          removed,
          '204, no body',
          ({ status, text }) => status === deleted && text === '',
          describeDeleted,
        ),
    },
    {
      statement: statements.deletionIsFinal,
      judge: ({ id, removed, found, got, newId }) => {
        if (!isSuccess(removed)) return notChecked('a contact that was deleted');
        if (found.kind !== 'response' && got.kind !== 'response')
          return notChecked('a response to find or get');
        const signs = [
          ...(showsContact(found, [id]) ? ['find shows it'] : []),
          ...(showsContact(got, [id]) ? ['get shows it'] : []),
          ...(id === newId ? ['created again, it has its old id'] : []),
        ];
        return holds(signs.length === 0, signs.join('; ') || 'it is', 'no trace of it');
      },
    },
  ],
  silences: [
    {
      statement: '§4 An unknown id on get, update and delete',
      see: ({ unknown }) =>
        unknown === undefined
          ? notRequested('an id that is no longer in use')
          : seeing(describeStatus, unknown.get, unknown.update, unknown.delete),
    },
  ],
});

const describeDeleted = (outcome: Outcome) =>
  outcome.kind === 'response' && outcome.text === '' ? String(outcome.status) : describeError(outcome);
