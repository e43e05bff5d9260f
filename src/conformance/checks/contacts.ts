import { operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { aText, Wanted } from '../comparison.js';
import { type ConformanceRun, contactNeeded, freePhoneNeeded } from '../conformance-run.js';
import { holds, notChecked } from '../evidence.js';
import { contactIdIn, describeContact } from '../exchange/contact.js';
import type { JsonObject } from '../exchange/json.js';
import {
  describe,
  describeStatus,
  isJson,
  isSuccess,
  notRequested,
  type Outcome,
  seeing,
} from '../exchange/outcome.js';
import { otherNames, otherValues, values } from './hostile-values.js';
import { leaksContact, type ReadBack, readBack } from './read-back.js';

const { created, updated } = operations.contacts.upsert.successes;
const { deleted } = operations.contacts.delete.successes;
/** Names that only contacts of the run have. `ConformanceRun.upsert` leaves a contact with other names alone. */
const given = { conformance_name: 'Ada', conformance_city: 'London', conformance_tags: ['b', 'a'] };
const changed = { conformance_name: 'Grace', conformance_tags: ['c', 'a'] };
const put = { conformance_city: 'Paris', conformance_visits: 1, conformance_tags: ['d', 'b'] };
const ofNeighbour = { conformance_name: 'Mary', conformance_city: 'Oslo' };

/** §2 Contact and §4 /v1/contacts. */
export async function checkContacts(run: ConformanceRun): Promise<void> {
  run.neighbour = await run.newContact(ofNeighbour);
  await checkOneContact(run);
  await checkStrangers(run);
  await checkProperties(run);
  await checkDeletion(run);
}

/** Creates one contact, upserts it again, changes it, and reads it and its neighbour after each step. Keeps it. */
async function checkOneContact(run: ConformanceRun): Promise<void> {
  const { phone, lookup } = await run.freePhone();
  sawNobody(run, lookup, phone);
  const create = await run.upsert(phone, given);
  const repeat = await run.upsert(phone, given);
  const ids = [create, repeat].map(contactIdIn);
  const id = ids[0] ?? ids[1] ?? (isSuccess(create) ? contactIdIn(await run.find(phone)) : undefined);
  const contact = { id, phone };
  if (id !== undefined && phone !== undefined) run.contact = { id, phone };
  const first = await readBack(run, contact, given);
  const change = await run.upsert(phone, changed);
  const isCity = new Wanted(
    'the value before',
    (value) => value === undefined || value === given.conformance_city,
  );
  const second = await readBack(run, contact, { ...changed, conformance_city: isCity });
  const besideUpsert = await readNeighbour(run);
  const update = await run.update(id, put);
  const third = await readBack(run, contact, { ...second.properties, ...put });
  const besideUpdate = await readNeighbour(run);

  run.expect(statements.contactId, create, { body: { id: aText } });
  run.expect(statements.phoneProperty, create, { body: { properties: { phone } } });
  run.expect(statements.upsertCreates, create, { status: created });
  run.expect(statements.upsertUpdates, repeat, { status: updated });
  sawAnswer(run, create, { ...given, phone });
  sawAnswer(run, repeat, { ...given, phone });
  sawAnswer(run, change, { ...changed, phone });
  run.saw(
    statements.upsertIdempotent,
    ids.includes(undefined)
      ? notChecked('two upserts that both return an id')
      : holds(
          ids[0] === ids[1] ? [] : ['another id the second time'],
          'the same id twice',
          'the same contact',
        ),
  );
  run.expect(statements.upsertChangesExisting, change, { status: 'a success' });
  run.saw(statements.upsertChangesExisting, first.written, second.written, besideUpsert.written);
  sawReads(run, first, second, third, besideUpsert);
  run.expect(statements.updateContact, update, { status: 'a success' });
  run.saw(
    statements.updateContact,
    second.properties === undefined ? second.written : third.written,
    besideUpdate.written,
  );
  run.notShown('§4 The response of find', seeing(describeContact, first.find));
  run.notShown('§4 The response of get', seeing(describeContact, first.get));
  run.notShown('§4 The response of update', seeing(describeContact, update));
  run.notShown(
    '§4 Whether an upsert merges or replaces the properties of an existing contact',
    !isSuccess(change) || second.properties === undefined
      ? seeing(describe, change)
      : 'conformance_city' in second.properties
        ? 'it merges'
        : 'it replaces',
  );
  run.notShown('§7 The code of the 404 on find, and the shape of its body', seeing(describe, lookup));
}

/** The neighbour as it was made. */
const readNeighbour = (run: ConformanceRun) =>
  readBack(run, run.neighbour ?? { id: undefined, phone: undefined }, ofNeighbour);

function sawReads(run: ConformanceRun, ...reads: readonly ReadBack[]): void {
  run.saw(statements.findByPhone, ...reads.map(({ found }) => found));
  run.saw(statements.getContact, ...reads.map(({ got }) => got));
}

/** Whether the answer to an upsert has the documented body, with the values that were asked. */
function sawAnswer(run: ConformanceRun, outcome: Outcome, properties: JsonObject): void {
  run.expect(statements.upsertAnswer, outcome, {
    body: { id: aText, properties },
    problems: (response) =>
      isJson(response) || response.json === undefined ? [] : ['a content type that is not JSON'],
  });
}

/** Judges a lookup of a phone that no contact has. If a success shows that one has it, this statement does not apply. */
function sawNobody(run: ConformanceRun, lookup: Outcome, phone: string | undefined): void {
  if (isSuccess(lookup) && phone === undefined) run.saw(statements.findNobody, notChecked(freePhoneNeeded));
  else run.expect(statements.findNobody, lookup, { status: 404 });
}

/** Looks for phones and ids that belong to nobody, while there are contacts whose phones and ids begin like them. */
async function checkStrangers(run: ConformanceRun): Promise<void> {
  const later = await run.freePhone();
  sawNobody(run, later.lookup, later.phone);
  const { contact } = run;
  if (contact === undefined) return;
  for (const phone of [`${contact.phone}0`, contact.phone.slice(0, -1)]) {
    const outcome = await run.find(phone);
    if (outcome.kind === 'response' && !outcome.ok) run.nobodies.push({ phone });
    run.saw(
      statements.findNobody,
      holds(leaksContact(outcome, contact) ? ['a contact with another phone'] : [], '', 'no contact'),
    );
  }
  for (const id of [contact.id.slice(0, -1) || '-', `${contact.id}0`]) {
    const outcome = await run.get(id);
    if (outcome.kind === 'response' && !outcome.ok) run.nobodies.push({ contactId: id });
    run.saw(
      statements.getContact,
      holds(
        leaksContact(outcome, contact) ? ['the contact for another id'] : [],
        '',
        'only the contact with the id',
      ),
    );
  }
}

/** Writes values of each type and unusual names, by each endpoint, and reads them back. */
async function checkProperties(run: ConformanceRun): Promise<void> {
  const { phone } = await run.freePhone();
  const create = await run.upsert(phone, values);
  const contact = { id: contactIdIn(create), phone };
  const first = await readBack(run, contact, values);
  const upsert = await run.upsert(phone, otherNames);
  const second = await readBack(run, contact, otherNames);
  const update = await run.update(contact.id, otherValues);
  const third = await readBack(run, contact, otherValues);
  if (run.contact === undefined) {
    // If the deployment creates no contact at all, these properties are not the reason.
    run.saw(statements.propertyTypes, notChecked(contactNeeded));
    run.saw(statements.propertyNames, notChecked(contactNeeded));
    return;
  }
  run.expect(statements.propertyTypes, create, { status: 'a success' });
  run.expect(statements.propertyTypes, update, { status: 'a success' });
  run.saw(statements.propertyTypes, first.written, third.written);
  run.expect(statements.propertyNames, upsert, { status: 'a success' });
  run.saw(statements.propertyNames, second.written);
  sawAnswer(run, create, { ...values, phone });
  sawAnswer(run, upsert, { ...otherNames, phone });
  sawReads(run, first, second, third);
}

/** Creates a contact, deletes it, looks for it and its neighbour, and creates it again with only its phone. */
async function checkDeletion(run: ConformanceRun): Promise<void> {
  const { phone } = await run.freePhone();
  const create = await run.upsert(phone, given);
  const id = contactIdIn(create) ?? (isSuccess(create) ? contactIdIn(await run.find(phone)) : undefined);
  const removed = await run.delete(id);
  const find = await run.find(phone);
  const get = await run.get(id);
  const neighbour = await readNeighbour(run);
  const again = await run.upsert(phone);
  const newId = contactIdIn(again);
  const absent = Object.fromEntries(Object.keys(given).map((name) => [name, undefined]));
  const successor = await readBack(run, { id: newId, phone }, absent);
  const signs = [
    ...(leaksContact(find, { id, phone }) ? ['find shows it'] : []),
    ...(leaksContact(get, { id, phone }) ? ['get shows it'] : []),
    ...(id !== undefined && id === newId ? ['created again, it has its old id'] : []),
  ];
  const isAnswered = find.kind === 'response' && get.kind === 'response';
  const isGone = isSuccess(removed) && isAnswered && signs.length === 0;
  const needsGone =
    isSuccess(removed) && isAnswered ? [] : [notChecked('a contact that was deleted, and answers about it')];

  run.expect(statements.deleteContact, removed, {
    status: deleted,
    problems: ({ text }) => [
      ...(text === '' ? [] : ['a body']),
      ...(neighbour.properties === undefined && neighbour.found.verdict === 'broken'
        ? ['its neighbour is gone, too']
        : []),
    ],
  });
  run.saw(statements.deleteContact, neighbour.written);
  run.saw(statements.deletionIsFinal, needsGone[0] ?? holds(signs, 'it is', 'no trace of it'));
  if (isGone) run.expect(statements.deletionRemovesProperties, again, { body: { properties: absent } });
  run.saw(
    statements.deletionRemovesProperties,
    isGone ? successor.written : notChecked('a contact that was deleted'),
  );
  run.expect(statements.upsertWithoutProperties, again, { status: 'a success' });
  run.notShown(
    '§4 An unknown id on get, update and delete',
    isGone
      ? seeing(describeStatus, get, await run.update(id, given), await run.delete(id))
      : notRequested('an id that is no longer in use'),
  );
}
