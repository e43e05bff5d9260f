import { operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { aText, differences, Wanted } from '../comparison.js';
import { type ConformanceRun, contactNeeded, freePhoneNeeded } from '../conformance-run.js';
import { holds, type Judgement, judge, notChecked } from '../evidence.js';
import { contactIdIn, contactIn, describeContact } from '../exchange/contact.js';
import type { JsonObject } from '../exchange/json.js';
import {
  describe,
  describeError,
  describeStatus,
  isJson,
  isSuccess,
  notRequested,
  type Outcome,
  seeing,
} from '../exchange/outcome.js';
import { otherNames, otherValues, values } from './hostile-values.js';
import { leaksContact, readBack } from './read-back.js';

const { created, updated } = operations.contacts.upsert.successes;
const { deleted } = operations.contacts.delete.successes;
/** Names that only contacts of the run have. `ConformanceRun.upsert` leaves a contact with other names alone. */
const given = { conformance_name: 'Ada', conformance_city: 'London', conformance_tags: ['b', 'a'] };
const changed = { conformance_name: 'Grace', conformance_tags: ['c', 'a'] };
const put = { conformance_city: 'Paris', conformance_visits: 1, conformance_tags: ['d', 'b'] };
const ofNeighbour = { conformance_name: 'Mary', conformance_city: 'Oslo' };

/** §2 Contact and §4 /v1/contacts. */
export async function checkContacts(run: ConformanceRun): Promise<void> {
  const neighbour = await run.newContact(ofNeighbour);
  run.neighbour = neighbour;
  await checkOneContact(run);
  await checkProperties(run);
  await checkDeletion(run);
}

/** Creates one contact, upserts it again, changes it, and reads it and its neighbour after each step. Keeps it. */
async function checkOneContact(run: ConformanceRun): Promise<void> {
  const { phone, lookup } = await run.freePhone();
  const create = await run.upsert(phone, given);
  const repeat = await run.upsert(phone, given);
  const ids = [create, repeat].map(contactIdIn);
  const id = ids[0] ?? ids[1] ?? (isSuccess(create) ? contactIdIn(await run.find(phone)) : undefined);
  if (id !== undefined && phone !== undefined) run.contact = { id, phone, properties: given };
  const first = await readBack(run, { id, phone, properties: given });
  const ofNeighbourFirst = await readNeighbour(run);
  const change = await run.upsert(phone, changed);
  const isCity = new Wanted(
    'the value before',
    (value) => value === undefined || value === given.conformance_city,
  );
  const second = await readBack(run, { id, phone, properties: { ...changed, conformance_city: isCity } });
  const update = await run.update(id, put);
  const third = await readBack(run, { id, phone, properties: { ...second.properties, ...put } });
  const untouched = (await readNeighbour(run)).written;

  const needsCreated = isSuccess(create)
    ? undefined
    : notChecked(create.kind === 'not_requested' ? create : contactNeeded);
  const answer = contactIn(create);
  run.saw(
    statements.contactId,
    needsCreated ?? judge(create, 'a string', () => differences({ id: aText }, { id: answer?.id }), describe),
  );
  run.saw(
    statements.phoneProperty,
    needsCreated ??
      (answer?.properties === undefined
        ? notChecked('a response that shows the properties')
        : holds(differences({ phone }, answer.properties), 'it is', 'the phone of the request')),
  );
  run.saw(
    statements.upsertCreates,
    judge(create, '201', ({ status }) => status === created),
  );
  run.saw(statements.upsertUpdates, needsCreated ?? judge(repeat, '200', ({ status }) => status === updated));
  for (const [outcome, properties] of [
    [create, given],
    [repeat, given],
    [change, changed],
  ] as const) {
    run.saw(statements.upsertAnswer, needsCreated ?? judgeAnswer(outcome, { phone, ...properties }));
  }
  run.saw(
    statements.upsertIdempotent,
    needsCreated ??
      (ids[0] === undefined || ids[1] === undefined
        ? notChecked('two upserts that both return an id')
        : holds(
            ids[0] === ids[1],
            ids[0] === ids[1] ? 'the same id twice' : 'another id the second time',
            'the same contact',
          )),
  );
  run.saw(
    statements.upsertChangesExisting,
    needsCreated ?? judge(change, '200', isSuccess, describeError),
    ...(needsCreated ? [] : [first.written, second.written, ofNeighbourFirst.written]),
  );
  run.saw(
    statements.findByPhone,
    needsCreated ?? first.found,
    second.found,
    third.found,
    ofNeighbourFirst.found,
  );
  run.saw(statements.getContact, needsCreated ?? first.got, second.got, third.got, ofNeighbourFirst.got);
  run.saw(
    statements.updateContact,
    judge(update, 'a success', isSuccess, describeError),
    second.properties === undefined ? notChecked('a contact that can be read') : third.written,
    untouched,
  );
  await checkStrangers(run, phone, lookup);

  run.notShown('§4 The response of find', seeing(describeContact, first.find));
  run.notShown('§4 The response of get', seeing(describeContact, first.get));
  run.notShown('§4 The response of update', seeing(describeContact, update));
  run.notShown(
    '§4 Whether an upsert merges or replaces the properties of an existing contact',
    isSuccess(change) && second.properties !== undefined
      ? 'conformance_city' in second.properties
        ? 'it merges'
        : 'it replaces'
      : seeing(describe, change),
  );
  run.notShown('§7 The code of the 404 on find, and the shape of its body', seeing(describeError, lookup));
}

/** The neighbour as it was made. */
const readNeighbour = (run: ConformanceRun) =>
  readBack(run, run.neighbour ?? { id: undefined, phone: undefined, properties: ofNeighbour });

/** Looks for phones and ids that belong to nobody, while there are contacts whose phones and ids begin like them. */
async function checkStrangers(
  run: ConformanceRun,
  phone: string | undefined,
  lookup: Outcome,
): Promise<void> {
  const { contact } = run;
  const later = await run.freePhone();
  for (const outcome of [lookup, later.lookup]) {
    // A success that shows a contact with the phone means that a contact has it. Then this statement does not apply.
    const isOfSomebody = isSuccess(outcome) && (phone === undefined || later.phone === undefined);
    run.saw(
      statements.findNobody,
      isOfSomebody
        ? notChecked(freePhoneNeeded)
        : judge(outcome, '404', ({ status }) => status === 404, describeError),
    );
  }
  if (contact === undefined) return;
  for (const other of [contact.phone.slice(0, -1), `${contact.phone}0`]) {
    const outcome = await run.find(other);
    run.saw(
      statements.findNobody,
      judge(outcome, 'no contact', () => (isSuccess(outcome) ? ['a success for another phone'] : [])),
    );
  }
  for (const other of [contact.id.slice(0, -1), `${contact.id}0`].filter((id) => id !== '')) {
    const outcome = await run.get(other);
    run.saw(
      statements.getContact,
      judge(outcome, 'not this contact', () =>
        leaksContact(outcome, contact) ? ['the contact for another id'] : [],
      ),
    );
  }
}

/** Whether the answer to an upsert has the documented body, with the values that were asked. */
const judgeAnswer = (outcome: Outcome, properties: JsonObject): Judgement =>
  judge(
    outcome,
    '{ id, properties } with those supplied',
    (response) => [
      ...(isSuccess(response) ? [] : ['not a success']),
      ...(isJson(response) || response.json === undefined ? [] : ['a content type that is not JSON']),
      ...differences({ id: aText, properties }, response.json),
    ],
    describe,
  );

/** Writes values of each type and unusual names, by each endpoint, and reads them back. */
async function checkProperties(run: ConformanceRun): Promise<void> {
  const { phone } = await run.freePhone();
  const create = await run.upsert(phone, values);
  const id = contactIdIn(create);
  const first = await readBack(run, { id, phone, properties: values });
  const upsert = await run.upsert(phone, otherNames);
  const second = await readBack(run, { id, phone, properties: otherNames });
  const update = await run.update(id, otherValues);
  const third = await readBack(run, { id, phone, properties: otherValues });
  // If the deployment creates no contact at all, these properties are not the reason.
  const unless = (...judgements: readonly Judgement[]) =>
    run.contact === undefined ? [notChecked(contactNeeded)] : judgements;
  run.saw(
    statements.propertyTypes,
    ...unless(
      judge(create, 'the properties as sent', isSuccess, describeError),
      first.written,
      judge(update, 'the properties as sent', isSuccess, describeError),
      third.written,
    ),
  );
  run.saw(
    statements.propertyNames,
    ...unless(judge(upsert, 'the properties as sent', isSuccess, describeError), second.written),
  );
  run.saw(
    statements.upsertAnswer,
    ...unless(judgeAnswer(create, { phone, ...values }), judgeAnswer(upsert, { phone, ...otherNames })),
  );
  run.saw(statements.findByPhone, ...unless(first.found, second.found, third.found));
  run.saw(statements.getContact, ...unless(first.got, second.got, third.got));
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
  const absent: JsonObject = Object.fromEntries(Object.keys(given).map((name) => [name, undefined]));
  const successor = await readBack(run, { id: newId, phone, properties: absent });
  const isShown = [find, get].map(
    (outcome) => id !== undefined && phone !== undefined && leaksContact(outcome, { id, phone }),
  );
  const isGone = isSuccess(removed) && !isShown[1] && id !== newId;
  const unlessGone = <Value>(value: Value) => (isGone ? value : notChecked('a contact that was deleted'));

  run.saw(
    statements.deleteContact,
    judge(
      removed,
      '204, no body',
      ({ status, text }) => status === deleted && text === '',
      (outcome) =>
        outcome.kind === 'response' && outcome.text === '' ? describeStatus(outcome) : describeError(outcome),
    ),
    neighbour.found.verdict === 'broken'
      ? holds(['its neighbour is gone, too'], '', 'only the contact is deleted')
      : neighbour.written,
  );
  const signs = [
    ...(isShown[0] ? ['find shows it'] : []),
    ...(isShown[1] ? ['get shows it'] : []),
    ...(id !== undefined && id === newId ? ['created again, it has its old id'] : []),
  ];
  run.saw(
    statements.deletionIsFinal,
    !isSuccess(removed)
      ? notChecked('a contact that was deleted')
      : find.kind !== 'response' || get.kind !== 'response'
        ? notChecked('a response to find and get')
        : holds(signs, 'it is', 'no trace of it'),
  );
  run.saw(statements.deletionRemovesProperties, unlessGone(successor.written));
  if (isSuccess(again)) {
    const shown = contactIn(again)?.properties;
    run.saw(
      statements.deletionRemovesProperties,
      unlessGone(
        holds(
          differences(absent, shown ?? {}),
          'created again, it has none of them',
          'none of the old properties',
        ),
      ),
    );
  }
  run.saw(
    statements.upsertWithoutProperties,
    run.contact === undefined
      ? notChecked(contactNeeded)
      : judge(again, 'a success', isSuccess, describeError),
  );
  run.notShown(
    '§4 An unknown id on get, update and delete',
    isGone
      ? seeing(describeStatus, get, await run.update(id, given), await run.delete(id))
      : notRequested('an id that is no longer in use'),
  );
}
