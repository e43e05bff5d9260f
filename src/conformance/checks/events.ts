import { operations } from '../../contract/operations.js';
import { statements } from '../../contract/statements.js';
import { checkGroup } from '../check-group.js';
import type { ConformanceRun } from '../conformance-run.js';
import { contactIdIn } from '../exchange/contact.js';
import { fieldOf } from '../exchange/json.js';
import { describeError, describeStatus, isSuccess, seeing } from '../exchange/outcome.js';
import { type Judgement, judge, notChecked } from '../judgement.js';

const { successes } = operations.events.track;

/** A payload with values of every type, one level deep and in a list. */
const payload = {
  conformance_text: 'Ada',
  conformance_number: -1.5,
  conformance_boolean: true,
  conformance_list: [1, 'two'],
  conformance_object: { conformance_text: 'nested' },
};

/** §4 POST /v1/events: tracks events for the run's contact, for no contact, and for a contact before and after its creation. */
async function observe(run: ConformanceRun) {
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
  const byBoth = await run.track({ contactId: id, phone });
  const byNeither = await run.trackAsIs({});
  return { byId, byPhone, withProperties, beforehand, created, afterwards, byLostId, byBoth, byNeither };
}

export const events = checkGroup({
  observe,
  checks: [
    {
      statement: statements.trackAccepted,
      judge: ({ byId, byPhone }) => {
        const accepted = [byId, byPhone].find(isSuccess);
        if (accepted === undefined)
          return notChecked(byId.kind === 'not_requested' ? byId : 'an event that is accepted');
        return judge(
          accepted,
          '202, accepted: true',
          ({ status, json }) => status === successes.accepted && fieldOf(json, 'accepted') === true,
        );
      },
    },
    {
      statement: statements.trackByContactId,
      judge: ({ byId }) => judge(byId, 'a success', isSuccess, describeError),
    },
    {
      statement: statements.trackByPhone,
      judge: ({ byPhone }) => judge(byPhone, 'a success', isSuccess, describeError),
    },
    {
      statement: statements.trackProperties,
      judge: ({ byId, byPhone, withProperties }) =>
        [byId, byPhone].some(isSuccess)
          ? judge(withProperties, 'a success', isSuccess, describeError)
          : notChecked(byId.kind === 'not_requested' ? byId : 'an event that is accepted'),
    },
    {
      statement: statements.trackNobody,
      judge: ({ beforehand, byLostId }) => {
        const asked = [beforehand, byLostId].filter(({ kind }) => kind !== 'not_requested');
        const wrong = asked.find((outcome) => outcome.kind !== 'response' || outcome.status !== 404);
        return judge(wrong ?? asked[0] ?? beforehand, '404', ({ status }) => status === 404, describeStatus);
      },
    },
    {
      statement: statements.trackAfterCreation,
      judge: ({ byPhone, beforehand, created, afterwards }): Judgement => {
        if (afterwards.kind === 'not_requested') return notChecked(afterwards);
        const isRefusedBefore = beforehand.kind === 'response' && !isSuccess(beforehand);
        if (!isSuccess(byPhone) || !isRefusedBefore || !isSuccess(created)) {
          return notChecked(
            'events that are refused before their contact is created, and accepted for another contact',
          );
        }
        return judge(afterwards, 'a success', isSuccess, describeError);
      },
    },
  ],
  silences: [
    {
      statement: '§4 An event with both of contactId and phone, or neither',
      see: ({ byBoth, byNeither }) => seeing(describeStatus, byBoth, byNeither),
    },
    {
      statement: '§7 The code of the 404 on events, and the shape of its body',
      see: ({ beforehand }) => seeing(describeError, beforehand),
    },
  ],
});
