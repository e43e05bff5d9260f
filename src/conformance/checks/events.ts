import { operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { differences } from '../comparison.js';
import type { ConformanceRun } from '../conformance-run.js';
import { judge, notChecked } from '../evidence.js';
import { contactIdIn } from '../exchange/contact.js';
import {
  describe,
  describeError,
  describeStatus,
  isSuccess,
  type Outcome,
  seeing,
} from '../exchange/outcome.js';
import { values } from './hostile-values.js';

const { accepted } = operations.events.track.successes;

/** A payload with values of every type, and of types that properties of contacts cannot have. */
const payload = {
  ...values,
  conformance_null: null,
  conformance_list: [1, 'two', null, [true]],
  conformance_object: { conformance_text: 'nested', conformance_empty: {} },
};

/** §4 POST /v1/events: tracks events for the run's contact, for no contact, and for a contact before and after its creation. */
export async function checkEvents(run: ConformanceRun): Promise<void> {
  const { id, phone } = run.contact ?? {};
  const byId = await run.track({ contactId: id });
  const byPhone = await run.track({ phone });
  const withProperties = await run.track(isSuccess(byId) ? { contactId: id } : { phone }, {
    properties: payload,
  });
  const later = await run.freePhone();
  const beforehand = await run.track({ phone: later.phone });
  const created = await run.upsert(later.phone);
  const afterwards = await run.track({ phone: later.phone });
  // The id of a deleted contact has the right form and belongs to no contact.
  const lost = contactIdIn(created);
  const removed = await run.delete(lost);
  const isLost = isSuccess(removed) && !isSuccess(await run.get(lost));
  const byLostId = await run.track({ contactId: isLost ? lost : undefined });

  const some = [byId, byPhone].filter(isSuccess);
  const needsAccepted = notChecked(byId.kind === 'not_requested' ? byId : 'an event that is accepted');
  run.saw(
    statements.trackAccepted,
    ...(some.length === 0
      ? [needsAccepted]
      : [...some, ...[withProperties, afterwards].filter(isSuccess)].map((outcome) =>
          judge(
            outcome,
            '202, accepted: true',
            ({ status, json }) => [
              ...(status === accepted ? [] : ['another status']),
              ...differences({ accepted: true }, json),
            ],
            describe,
          ),
        )),
  );
  run.saw(statements.trackByContactId, judge(byId, 'a success', isSuccess, describeError));
  run.saw(statements.trackByPhone, judge(byPhone, 'a success', isSuccess, describeError));
  run.saw(
    statements.trackProperties,
    some.length === 0 ? needsAccepted : judge(withProperties, 'a success', isSuccess, describeError),
  );
  const isNobody = (outcome: Outcome) => judge(outcome, '404', ({ status }) => status === 404);
  run.saw(statements.trackNobody, isNobody(beforehand), isNobody(byLostId));
  if (phone !== undefined && id !== undefined) {
    for (const nobody of [
      { phone: phone.slice(0, -1) },
      { contactId: id.slice(0, -1) || '-' },
      { contactId: `${id}0` },
    ]) {
      const outcome = await run.track(nobody);
      run.saw(
        statements.trackNobody,
        judge(outcome, 'no success', () => !isSuccess(outcome)),
      );
    }
  }
  const isRefusedBefore = beforehand.kind === 'response' && !isSuccess(beforehand);
  run.saw(
    statements.trackAfterCreation,
    afterwards.kind !== 'not_requested' && !(isSuccess(byPhone) && isRefusedBefore && isSuccess(created))
      ? notChecked(
          'events that are refused before their contact is created, and accepted for another contact',
        )
      : judge(afterwards, 'a success', isSuccess, describeError),
  );
  run.notShown(
    '§4 An event with both of contactId and phone, or neither',
    seeing(describeStatus, await run.track({ contactId: id, phone }), await run.trackAsIs({})),
  );
  run.notShown(
    '§7 The code of the 404 on events, and the shape of its body',
    seeing(describeError, beforehand),
  );
}
