import { operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { checkGroup } from '../check-group.js';
import { type ConformanceRun, contactNeeded, freePhoneNeeded } from '../conformance-run.js';
import { contactIdIn, contactIn, describeContact } from '../exchange/contact.js';
import { fieldOf, isObject } from '../exchange/json.js';
import {
  describe,
  describeError,
  describeStatus,
  isJson,
  isSuccess,
  type Outcome,
  type ReceivedResponse,
  seeing,
} from '../exchange/outcome.js';
import { broken, holds, judge, notChecked } from '../judgement.js';
import { has, judgeRead, showsContact } from './read-contact.js';

const { created, updated } = operations.contacts.upsert.successes;
/** Names that only contacts of the run have. `ConformanceRun.upsert` leaves a contact with other names alone. */
const given = { conformance_name: 'Ada', conformance_city: 'London' };
const changed = { conformance_name: 'Grace' };
const put = { conformance_city: 'Paris', conformance_visits: 1 };

/** §2 Contact and §4 /v1/contacts: creates one contact, upserts it again, changes it, and reads it after each step. Keeps it. */
async function observe(run: ConformanceRun) {
  const { phone, lookup } = await run.freePhone();
  const create = await run.upsert(phone, given);
  const repeat = await run.upsert(phone, given);
  const find = await run.find(phone);
  const ids = [create, repeat].map(contactIdIn);
  const id = ids[0] ?? ids[1] ?? (isSuccess(create) ? contactIdIn(find) : undefined);
  const get = await run.get(id);
  const change = await run.upsert(phone, changed);
  const afterChange = await run.read({ id, phone });
  const update = await run.update(id, put);
  const afterUpdate = await run.read({ id, phone });
  if (id !== undefined && phone !== undefined) run.contact = { id, phone };
  return { phone, id, ids, lookup, create, repeat, find, get, change, afterChange, update, afterUpdate };
}

type Observed = Awaited<ReturnType<typeof observe>>;

/** Whether the second upsert updated the contact of the first, and created no other. */
const isOneContact = ({ ids }: Observed) => ids[0] === ids[1];

export const contacts = checkGroup({
  observe,
  checks: [
    {
      statement: statements.contactId,
      judge: ({ create }) => {
        if (!isSuccess(create)) return notChecked(contactNeeded);
        const contact = contactIn(create);
        if (contact === undefined) return notChecked('a response that shows the contact');
        const isId = typeof contact.id === 'string' && contact.id !== '';
        return holds(isId, describeId(contact.id), 'a string');
      },
    },
    {
      statement: statements.phoneProperty,
      judge: ({ create, phone }) => {
        const properties = isSuccess(create) ? contactIn(create)?.properties : undefined;
        if (properties === undefined) return notChecked('a response that shows the properties');
        const seen = !('phone' in properties)
          ? 'no phone'
          : properties.phone === phone
            ? 'it is'
            : 'another value';
        return holds(properties.phone === phone, seen, 'the phone of the request');
      },
    },
    {
      statement: statements.upsertCreates,
      judge: ({ create }) => judge(create, '201', ({ status }) => status === created, describeStatus),
    },
    {
      statement: statements.upsertUpdates,
      judge: (seen) => {
        if (!isSuccess(seen.create)) return notChecked(contactNeeded);
        if (isSuccess(seen.repeat) && !isOneContact(seen))
          return notChecked('one contact after two upserts, not two');
        return judge(seen.repeat, '200', ({ status }) => status === updated, describeStatus);
      },
    },
    {
      statement: statements.upsertAnswer,
      judge: ({ create, repeat }) => {
        const responses = [create, repeat].filter(isSuccess);
        const [first] = responses;
        if (first === undefined) return notChecked(contactNeeded);
        const wrong = responses.find((response) => !isShownBody(response, first));
        return holds(
          wrong === undefined,
          describeBodies(wrong ?? first),
          '{ id, properties } with those supplied',
        );
      },
    },
    {
      statement: statements.upsertIdempotent,
      judge: (seen) => {
        const [first, second] = seen.ids;
        if (first === undefined || second === undefined)
          return notChecked('two upserts that both return an id');
        return isOneContact(seen)
          ? holds(true, 'the same id twice', '')
          : broken('another id the second time', 'the same contact');
      },
    },
    {
      statement: statements.upsertChangesExisting,
      judge: (seen) => {
        if (!isSuccess(seen.create) || !isOneContact(seen))
          return notChecked('a contact that can be created and updated');
        if (!isSuccess(seen.change)) return judge(seen.change, '200', () => false, describeError);
        return judgeRead(seen.afterChange, changed);
      },
    },
    {
      statement: statements.findByPhone,
      judge: ({ create, find, ids }) => {
        if (!isSuccess(create)) return notChecked(contactNeeded);
        return judge(find, 'the contact', (response) => showsContact(response, ids), describeContact);
      },
    },
    {
      statement: statements.findNobody,
      judge: ({ lookup, phone, create, find }) => {
        // If find fails for a contact that exists, its error for an unknown phone shows nothing.
        if (isSuccess(create) && !isSuccess(find) && isSameError(lookup, find))
          return notChecked('a find that finds a contact');
        // A success that shows a contact means that a contact has the phone. Then this statement does not apply.
        if (phone === undefined && isSuccess(lookup)) return notChecked(freePhoneNeeded);
        return judge(lookup, '404', ({ status }) => status === 404, describeError);
      },
    },
    {
      statement: statements.getContact,
      judge: ({ get, id }) =>
        judge(get, 'the contact', (response) => showsContact(response, [id]), describeContact),
    },
    {
      statement: statements.updateContact,
      judge: ({ afterChange, update, afterUpdate }) => {
        if (update.kind === 'not_requested') return notChecked(update);
        if (!isSuccess(update)) return broken(describeError(update), 'a success');
        if (afterChange === undefined) return notChecked('a contact that can be read');
        return judgeRead(afterUpdate, { ...afterChange.properties, ...put });
      },
    },
  ],
  silences: [
    {
      statement: '§4 The response of find',
      see: ({ find }) => seeing(describeContact, find),
    },
    { statement: '§4 The response of get', see: ({ get }) => seeing(describeContact, get) },
    {
      statement: '§4 The response of update',
      see: ({ update }) => seeing(describeContact, update),
    },
    {
      statement: '§4 Whether an upsert merges or replaces the properties of an existing contact',
      see: ({ change, afterChange }) => {
        if (!isSuccess(change) || afterChange === undefined) return seeing(describe, change);
        return isObject(afterChange.properties) && 'conformance_city' in afterChange.properties
          ? 'it merges'
          : 'it replaces';
      },
    },
    {
      statement: '§7 The code of the 404 on find, and the shape of its body',
      see: ({ lookup }) => seeing(describeError, lookup),
    },
  ],
});

/** Whether a response has the documented body. Fields that are missing in the first response are not judged again. */
function isShownBody(response: ReceivedResponse, first: ReceivedResponse): boolean {
  const properties = fieldOf(response.json, 'properties');
  if (!isJson(response) || !isObject(properties)) return false;
  const lacksId = fieldOf(response.json, 'id') === undefined && fieldOf(first.json, 'id') !== undefined;
  const lacksPhone =
    !('phone' in properties) && fieldOf(fieldOf(first.json, 'properties'), 'phone') !== undefined;
  return !lacksId && !lacksPhone && has(properties, given);
}

function describeBodies(response: ReceivedResponse): string {
  return isJson(response) || response.json === undefined
    ? describe(response)
    : `${describe(response)}, whose content type is not JSON`;
}

const isSameError = (one: Outcome, other: Outcome) =>
  one.kind === 'response' && other.kind === 'response' && one.status === other.status && one.status !== 404;

function describeId(id: unknown): string {
  if (id === undefined) return 'none';
  return id === '' ? 'an empty string' : `a ${typeof id}`;
}
