import { operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import type { ConformanceRun } from '../conformance-run.js';
import { describeStatus, idIn } from '../exchange/body.js';
import { isSuccess, needing } from '../exchange/outcome.js';
import { values } from './hostile-values.js';

const { accepted } = operations.events.track.successes;

/** A payload with values of every type, and of types that properties of contacts cannot have. */
const payload = {
  ...values,
  conformance_null: null,
  conformance_list: [1, 'two', null, [true]],
  conformance_object: { conformance_text: 'nested', conformance_empty: {} },
};

const aContrast = needing('events refused before their contact is created, and accepted for another contact');

/** §4 POST /v1/events: tracks events for the run's contact, for no contact, and for a contact before and after its creation. */
export async function checkEvents(run: ConformanceRun): Promise<void> {
  const { id, phone } = run.contact ?? {};
  const byId = await run.track({ contactId: id });
  const byPhone = await run.track({ phone });
  const named = isSuccess(byId) ? { contactId: id } : { phone };
  const withProperties = await run.track({ ...named, properties: payload });
  const later = await run.freePhone();
  const beforehand = await run.track({ phone: later.phone });
  const created = await run.upsert(later.phone);
  const afterwards = await run.track({ phone: later.phone });
  // The id of a deleted contact has the right form and belongs to no contact.
  const lost = idIn(created);
  const removed = await run.delete(lost);
  const isLost = isSuccess(removed) && !isSuccess(await run.get(lost));
  const byLostId = await run.track({ contactId: isLost ? lost : undefined });

  const some = [byId, byPhone].filter(isSuccess);
  for (const outcome of some.length === 0 ? [byId] : [...some, withProperties, afterwards])
    run.expect(statements.trackAccepted, outcome, {
      body: { accepted: true },
      problems: ({ status }) => [status !== accepted && 'another status'],
      expected: '202, accepted: true',
    });
  run.expect(statements.trackByContactId, byId, { status: 'a success' });
  run.expect(statements.trackByPhone, byPhone, { status: 'a success' });
  if (some.length === 0) run.expect(statements.trackProperties, byId, {});
  else run.expect(statements.trackProperties, withProperties, { status: 'a success' });
  for (const outcome of [beforehand, byLostId]) run.expect(statements.trackNobody, outcome, { status: 404 });
  for (const nobody of run.nobodies)
    run.expect(statements.trackNobody, await run.track(nobody), { status: 'a refusal' });
  const canTell =
    isSuccess(byPhone) && beforehand.kind === 'response' && !beforehand.ok && isSuccess(created);
  if (canTell) run.expect(statements.trackAfterCreation, afterwards, { status: 'a success' });
  else run.saw(statements.trackAfterCreation, afterwards.kind === 'not_requested' ? afterwards : aContrast);
  run.notShown(
    '§4 An event with both of contactId and phone, or neither',
    [await run.track({ contactId: id, phone }), await run.track({})],
    describeStatus,
  );
  run.notShown('§7 The code of the 404 on events, and the shape of its body', beforehand);
}
