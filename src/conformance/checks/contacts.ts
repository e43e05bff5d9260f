import { operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { aText, ExpectedValue } from '../comparison.js';
import { type ConformanceRun, contactNeeded, freePhoneNeeded } from '../conformance-run.js';
import { holds } from '../evidence.js';
import { describeContact, describeStatus, idIn, type JsonObject } from '../exchange/body.js';
import { type ExchangeOutcome, isSuccess, needing } from '../exchange/outcome.js';
import { otherNames, otherValues, values } from './hostile-values.js';
import { type Identity, leaksContact, readBack } from './read-back.js';

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
  const create = await upsert(run, phone, given);
  const repeat = await upsert(run, phone, given);
  const ids = [create, repeat].map(idIn);
  const id = ids[0] ?? ids[1] ?? (isSuccess(create) ? idIn(await run.find(phone)) : undefined);
  const contact = { id, phone };
  if (id !== undefined && phone !== undefined) run.contact = { id, phone };
  const first = await read(run, contact, given);
  const change = await upsert(run, phone, changed);
  const isCity = new ExpectedValue(
    'as before',
    (value) => value === undefined || value === given.conformance_city,
  );
  const second = await read(run, contact, { ...changed, conformance_city: isCity });
  const besideUpsert = await read(run, run.neighbour ?? {}, ofNeighbour);
  const update = await run.update(id, put);
  const third = await read(run, contact, { ...second.properties, ...put });
  const besideUpdate = await readBack(run, run.neighbour ?? {}, ofNeighbour);

  run.expect(statements.contactId, create, { body: { id: aText } });
  run.expect(statements.phoneProperty, create, { body: { properties: { phone } } });
  run.expect(statements.upsertCreates, create, { status: created });
  run.expect(statements.upsertUpdates, repeat, { status: updated });
  run.saw(
    statements.upsertIdempotent,
    ids.includes(undefined)
      ? needing('two upserts that both return an id')
      : holds([ids[0] !== ids[1] && 'another id the second time'], 'the same id twice', 'the same contact'),
  );
  run.expect(statements.upsertChangesExisting, change, { status: 'a success' });
  run.saw(statements.upsertChangesExisting, first.written, second.written, besideUpsert.written);
  run.expect(statements.updateContact, update, { status: 'a success' });
  run.saw(
    statements.updateContact,
    second.properties === undefined ? second.written : third.written,
    besideUpdate.written,
  );
  run.notShown('§4 The response of find', first.find, describeContact);
  run.notShown('§4 The response of get', first.get, describeContact);
  run.notShown('§4 The response of update', update, describeContact);
  const merges = second.properties && 'conformance_city' in second.properties;
  run.notShown(
    '§4 Whether an upsert merges or replaces the properties of an existing contact',
    !isSuccess(change) || merges === undefined ? change : merges ? 'it merges' : 'it replaces',
  );
  run.notShown('§7 The code of the 404 on find, and the shape of its body', lookup);
}

/** Upserts a contact, and compares the response with the documented body and the values that were asked. */
async function upsert(run: ConformanceRun, phone: string | undefined, properties: JsonObject) {
  const outcome = await run.upsert(phone, properties);
  run.expect(statements.upsertResponse, outcome, {
    body: { id: aText, properties: { ...properties, phone } },
    problems: ({ json, headers }) => [
      json !== undefined &&
        !/\bjson\b/i.test(headers.get('content-type') ?? '') &&
        'a content type that is not JSON',
    ],
  });
  return outcome;
}

/** Reads a contact back, and judges both endpoints by it. */
async function read(run: ConformanceRun, contact: Identity, properties: JsonObject) {
  const back = await readBack(run, contact, properties);
  run.saw(statements.findByPhone, back.found);
  run.saw(statements.getContact, back.got);
  return back;
}

/** Judges a lookup of a phone that no contact has. If a success shows that one has it, this statement does not apply. */
function sawNobody(run: ConformanceRun, lookup: ExchangeOutcome, phone: string | undefined): void {
  const isSomebody = isSuccess(lookup) && phone === undefined;
  run.expect(statements.findNobody, isSomebody ? freePhoneNeeded : lookup, { status: 404 });
}

/** Looks for phones and ids that belong to nobody, while there are contacts whose phones and ids begin like them. */
async function checkStrangers(run: ConformanceRun): Promise<void> {
  const later = await run.freePhone();
  sawNobody(run, later.lookup, later.phone);
  const { contact } = run;
  if (contact === undefined) return;
  const { id, phone } = contact;
  for (const nobody of [
    { phone: `${phone}0` },
    { phone: phone.slice(0, -1) },
    { contactId: id.slice(0, -1) || '-' },
    { contactId: `${id}0` },
  ]) {
    const outcome = await ('phone' in nobody ? run.find(nobody.phone) : run.get(nobody.contactId));
    if (outcome.kind === 'response' && !outcome.ok) run.nobodies.push(nobody);
    run.saw(
      'phone' in nobody ? statements.findNobody : statements.getContact,
      holds([leaksContact(outcome, contact) && 'another contact'], '', 'only the contact that is asked for'),
    );
  }
}

/** Writes values of each type and unusual names, by each endpoint, and reads them back. */
async function checkProperties(run: ConformanceRun): Promise<void> {
  const { phone } = await run.freePhone();
  const create = await upsert(run, phone, values);
  const contact = { id: idIn(create), phone };
  const first = await read(run, contact, values);
  const again = await upsert(run, phone, otherNames);
  const second = await read(run, contact, otherNames);
  const update = await run.update(contact.id, otherValues);
  const third = await read(run, contact, otherValues);
  // If the deployment creates no contact at all, these properties are not the reason.
  const of = (outcome: ExchangeOutcome) => (run.contact === undefined ? contactNeeded : outcome);
  run.expect(statements.propertyTypes, of(create), { status: 'a success' });
  run.expect(statements.propertyTypes, of(update), { status: 'a success' });
  run.saw(statements.propertyTypes, first.written, third.written);
  run.expect(statements.propertyNames, of(again), { status: 'a success' });
  run.saw(statements.propertyNames, second.written);
}

/** Creates a contact, deletes it, looks for it and its neighbour, and creates it again with only its phone. */
async function checkDeletion(run: ConformanceRun): Promise<void> {
  const { phone } = await run.freePhone();
  const create = await run.upsert(phone, given);
  const id = idIn(create) ?? (isSuccess(create) ? idIn(await run.find(phone)) : undefined);
  const removed = await run.delete(id);
  const find = await run.find(phone);
  const get = await run.get(id);
  const neighbour = await readBack(run, run.neighbour ?? {}, ofNeighbour);
  const again = await run.upsert(phone);
  const newId = idIn(again);
  const absent = Object.fromEntries(Object.keys(given).map((name) => [name, undefined]));
  const successor = await readBack(run, { id: newId, phone }, absent);
  const signs = [
    leaksContact(find, { id, phone }) && 'find shows it',
    leaksContact(get, { id, phone }) && 'get shows it',
    id !== undefined && id === newId && 'created again, it has its old id',
  ];
  const isShown = isSuccess(removed) && find.kind === 'response' && get.kind === 'response';
  const isGone = isShown && !signs.some(Boolean);

  run.expect(statements.deleteContact, removed, {
    status: deleted,
    problems: ({ text }) => [
      text !== '' && 'a body',
      neighbour.properties === undefined &&
        neighbour.found.verdict === 'broken' &&
        'its neighbour is gone, too',
    ],
  });
  run.saw(statements.deleteContact, neighbour.written);
  run.saw(
    statements.deletionIsFinal,
    isShown
      ? holds(signs, 'it is', 'no trace of it')
      : needing('a contact that was deleted, and responds about it'),
  );
  if (isGone) run.expect(statements.deletionRemovesProperties, again, { body: { properties: absent } });
  run.saw(
    statements.deletionRemovesProperties,
    isGone ? successor.written : needing('a contact that was deleted'),
  );
  run.expect(statements.upsertWithoutProperties, again, { status: 'a success' });
  run.notShown(
    '§4 An unknown id on get, update and delete',
    isGone
      ? [get, await run.update(id, given), await run.delete(id)]
      : needing('an id that is no longer in use'),
    describeStatus,
  );
}
