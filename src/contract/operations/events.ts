import { errorsOfBodies } from '../error.js';
import { type TrackBody, type TrackResult, trackResultSchema, trackSchema } from '../event.js';
import { operation } from '../operation.js';

/** The operations of /v1/events. */
export const eventOperations = {
  track: operation<{ body: TrackBody }, TrackResult, 'accepted'>({
    name: 'events.track',
    method: 'POST',
    path: '/v1/events',
    request: { body: trackSchema },
    successes: { accepted: 202 },
    result: {
      kind: 'record',
      schema: trackResultSchema,
      envelopes: ['data'],
      mayBeAbsent: false,
      confirmedBy: 'accepted',
    },
    notShown: [],
    errors: [
      { code: 'not_found', condition: 'The contact does not exist.', shown: 'status' },
      ...errorsOfBodies,
    ],
    repeatable: false, // a second event may start a journey a second time
  }),
};

/** One sentence about each operation. */
export const eventSummaries: Readonly<Record<keyof typeof eventOperations, string>> = {
  track: 'Records an event for a contact. Processing is asynchronous.',
};

/** What the service's document states about these operations. */
export const eventStatements = {
  trackAccepted: '§4 POST /v1/events: 202 with accepted true',
  trackByContactId: '§4 POST /v1/events: the contact is named by contactId',
  trackByPhone: '§4 POST /v1/events: the contact is named by phone',
  trackProperties: '§4 POST /v1/events: properties may hold any payload',
  trackNobody: '§4 POST /v1/events: 404 when the contact does not exist',
  trackAfterCreation: '§4 POST /v1/events: accepted once the contact was created',
} as const;
