import * as z from 'zod/mini';
import { webhookEventTypes } from '../../../contract/webhook-event-type.js';
import { faultRuleSchema } from '../../faults/fault-schemas.js';
import { journalEntryTypes } from '../../model/journal-entry.js';
import { consents, deliveryStatuses } from '../../model/records.js';
import { duration, instant } from '../../seed/fields.js';
import { journeySeedSchema } from '../../seed/journey-seed.js';
import { segmentSeedSchema } from '../../seed/segment-seed.js';
import { allSpecGapsSchema, specGapsSchema } from '../../seed/spec-gaps-schema.js';
import {
  quotaChangeSchema,
  templateChangeSchema,
  templateSeedSchema,
  workspaceSeedSchema,
} from '../../seed/workspace-seed.js';
import { inboundMessageSchema } from '../../service/inbound-messages.js';
import { managedWebhookSchema } from '../../service/subscriptions.js';
import { receiverChangeSchema } from '../../workspace-api/controls.js';
import {
  deliveryCheckSchema,
  deliveryExplanationSchema,
  receiversSideSchema,
} from '../../workspace-api/explanation/explanation.js';
import { listenerResponseSchema, listenerSchema } from '../../workspace-api/listeners.js';
import { snapshotSchema } from '../../workspace-api/workspace-snapshot.js';
import {
  type AnyControlOperation,
  contact,
  operation,
  optional,
  optionalPhone,
  paging,
  requiredPhone,
  since,
  text,
  waiting,
  yesOrNo,
} from './control-operation.js';
import * as shapes from './shapes.js';

/** A snapshot is larger than any request of the service. In bytes. */
const snapshotLimit = 256 * 1024 * 1024;

/** The possible errors of a wait over HTTP. */
const waits = {
  408: 'Timeout: no item matched in time. The message names the closest ones.',
  429: 'This workspace already has the largest number of waits. Wait for one to end.',
  503: 'The workspace closed during the wait.',
} as const;

/**
 * All operations of the control surface. The routes, the checks, the index, the OpenAPI document and the guide read this
 * table. No other place has these paths.
 */
export const controlOperations = {
  surface: {
    index: operation('index', 'GET', '/control', {
      summary: 'Lists the operations under /control. Requires no key.',
      status: 200,
    }),
    openApi: operation('openapi', 'GET', '/control/openapi.json', {
      summary: 'Returns the control surface as an OpenAPI document. Requires no key.',
      status: 200,
    }),
  },
  simulate: {
    inboundMessage: operation('simulate.inboundMessage', 'POST', '/control/inbound-messages', {
      summary:
        'Simulates a message from a contact. Subscriptions get a signed delivery. START and STOP change consent.',
      body: inboundMessageSchema,
      status: 202,
      result: shapes.inboundMessageResultSchema,
    }),
  },
  sends: {
    find: operation('sends.find', 'GET', '/control/sends', {
      summary: 'Lists the sent template messages, oldest first. `wait` waits for the first that matches.',
      query: {
        contact,
        templateId: optional(text, 'The id of the template.'),
        text: optional(text, 'The whole sent text.'),
        journeyRunId: optional(text, 'The id of the journey run that sent it.'),
        ...waiting,
      },
      result: shapes.pageOfLatest(shapes.sendSchema),
      refusals: waits,
    }),
  },
  events: {
    find: operation('events.find', 'GET', '/control/events', {
      summary:
        'Lists the tracked events of all current contacts, oldest first. `wait` waits for the first that matches.',
      query: { contact, event: optional(text, 'The name of the event.'), ...waiting },
      result: shapes.pageOfMany(shapes.eventSchema),
      refusals: waits,
    }),
  },
  deliveries: {
    find: operation('deliveries.find', 'GET', '/control/deliveries', {
      summary:
        'Lists the webhook deliveries with their attempts, oldest first. `wait` without `status` waits for one that was delivered.',
      query: {
        event: optional(z.enum(webhookEventTypes), 'The type of the event.'),
        contact,
        subscriptionId: optional(text, 'The id of the subscription.'),
        status: optional(
          z.enum(deliveryStatuses),
          'The status of the delivery; pending while an attempt is due.',
        ),
        ...waiting,
      },
      result: shapes.pageOfLatest(shapes.deliverySchema),
      refusals: waits,
    }),
    redeliver: operation('deliveries.redeliver', 'POST', '/control/deliveries/:id/redeliver', {
      summary: 'Sends the same bytes to the same subscription again, as a new delivery.',
      query: {
        ifFailed: optional(
          yesOrNo,
          'true: only if the delivery failed and has no redelivery. Of several such requests, one succeeds.',
        ),
      },
      status: 202,
      result: shapes.deliverySchema,
      refusals: {
        404: 'No delivery has this id, or its subscription was deleted.',
        409: 'With `ifFailed`: the delivery has not failed, or it has a redelivery.',
      },
    }),
    explain: operation('deliveries.explain', 'GET', '/control/deliveries/:id/explanation', {
      summary:
        'Explains why a delivery failed: its causes, the most likely first, with its signature and the clocks.',
      result: deliveryExplanationSchema,
      refusals: { 404: 'No delivery has this id.' },
    }),
    check: operation('deliveries.check', 'POST', '/control/deliveries/:id/check', {
      summary:
        "Verifies a delivery with its receiver's `secret`, with the `body` that it hashed, or with both, and explains a mismatch.",
      body: receiversSideSchema,
      result: deliveryCheckSchema,
      refusals: { 404: 'No delivery has this id, or its subscription was deleted and there is no `secret`.' },
    }),
  },
  journal: {
    follow: operation('journal.follow', 'GET', '/control/stream', {
      summary:
        'Streams the journal as server-sent events, from now on or after the entry in Last-Event-ID, and reports other changes.',
      query: { since },
      stream: 'text/event-stream',
      refusals: { 429: waits[429] },
    }),
    find: operation('journal.find', 'GET', '/control/journal', {
      summary:
        'Lists the journal, oldest first. Each entry has its number. `wait` waits for the first that matches.',
      query: {
        type: optional(z.enum(journalEntryTypes), 'The type of the entries.'),
        operation: optional(text, 'The operation of requests and their faults, such as contacts.upsert.'),
        requestId: optional(
          text,
          'The X-Request-Id of a response: its request, the faults applied to that, and what it sent or tracked.',
        ),
        since,
        ...waiting,
      },
      result: shapes.pageOfLatest(shapes.entrySchema),
      refusals: waits,
    }),
    inspect: operation('journal.inspect', 'GET', '/control/journal/:number', {
      summary:
        'Returns an entry, its causes and effects, and text that reproduces it: a curl command, code and a test.',
      result: shapes.inspectionSchema,
      refusals: { 404: 'The journal has no entry with this number, or has dropped it.' },
    }),
    testSince: operation('journal.testSince', 'GET', '/control/journal-test', {
      summary:
        'Writes everything after an entry as one test with a workspace of its own. Default: the whole journal.',
      query: { since },
      result: shapes.testSchema,
      refusals: { 404: 'No entry follows, or the journal has dropped one of them.' },
    }),
    journeyRuns: operation('journal.journeyRuns', 'GET', '/control/journey-runs', {
      summary: 'Lists the journey runs, oldest first.',
      query: paging,
      result: shapes.pageOfLatest(shapes.journeyRunSchema),
    }),
    segmentMembers: operation('journal.segmentMembers', 'GET', '/control/segments/:id/members', {
      summary: 'Lists the ids of the contacts in a segment.',
      result: shapes.listOf(text),
      refusals: { 404: 'No segment has this id.' },
    }),
    consent: operation('journal.consent', 'GET', '/control/consent', {
      summary: 'Returns the consent of a contact.',
      query: { phone: requiredPhone },
      result: shapes.consentSchema,
      refusals: { 404: 'No contact has this phone.' },
    }),
  },
  contacts: {
    list: operation('contacts.list', 'GET', '/control/contacts', {
      summary: 'Lists the contacts, oldest first.',
      query: {
        phone: optionalPhone,
        consent: optional(z.enum(consents), "The contact's consent."),
        property: optional(
          z
            .union([text, z.array(text)])
            .check(
              z.refine(
                (texts) => [texts].flat().every((each) => each.indexOf(':') > 0),
                'must be a name and a value, such as city:Paris',
              ),
            ),
          "A property's name and value, such as city:Paris. If you repeat it, all must match.",
        ),
        ...paging,
      },
      result: shapes.pageOfMany(shapes.contactSchema),
    }),
    read: operation('contacts.read', 'GET', '/control/contacts/:contact', {
      summary: 'Returns the contact with an id or a phone, and its consent.',
      result: shapes.contactSchema,
      refusals: { 404: 'No contact has this id or phone.' },
    }),
  },
  quota: {
    read: operation('quota.read', 'GET', '/control/quota', {
      summary: 'Returns the remaining conversations: of the plan, and add-on credits.',
      result: shapes.quotaSchema,
    }),
    set: operation('quota.set', 'PUT', '/control/quota', {
      summary: 'Sets the remaining conversations: `quota`, `addOnCredits` or both.',
      body: quotaChangeSchema,
      result: shapes.quotaSchema,
    }),
  },
  templates: {
    list: operation('templates.list', 'GET', '/control/templates', {
      summary: 'Lists the templates, with any status.',
      result: shapes.listOf(shapes.templateSchema),
    }),
    put: operation('templates.put', 'PUT', '/control/templates', {
      summary: 'Adds a template, or replaces the template with the same id.',
      body: templateSeedSchema,
      result: shapes.templateSchema,
    }),
    update: operation('templates.update', 'PUT', '/control/templates/:id', {
      summary:
        'Changes the `status`, `body`, `name` or `language` of a template. Keeps the fields that you leave out.',
      body: templateChangeSchema,
      result: shapes.templateSchema,
      refusals: { 404: 'No template has this id.' },
    }),
    remove: operation('templates.remove', 'DELETE', '/control/templates/:id', {
      summary: 'Removes a template. A journey run that sends a removed template fails.',
      refusals: { 404: 'No template has this id.' },
    }),
  },
  segments: {
    list: operation('segments.list', 'GET', '/control/segments', {
      summary: 'Lists the segments.',
      result: shapes.listOf(segmentSeedSchema),
    }),
    put: operation('segments.put', 'PUT', '/control/segments', {
      summary: 'Adds a segment, or replaces the segment with the same id.',
      body: segmentSeedSchema,
      result: segmentSeedSchema,
    }),
    remove: operation('segments.remove', 'DELETE', '/control/segments/:id', {
      summary: 'Removes a segment. A journey branch on a removed segment takes `else`.',
      refusals: { 404: 'No segment has this id.' },
    }),
  },
  journeys: {
    list: operation('journeys.list', 'GET', '/control/journeys', {
      summary: 'Lists the journeys with their steps.',
      result: shapes.listOf(journeySeedSchema),
    }),
    put: operation('journeys.put', 'PUT', '/control/journeys', {
      summary:
        'Adds a journey, or replaces the journey with the same id. Its templates and segments must exist.',
      body: journeySeedSchema,
      result: journeySeedSchema,
    }),
    remove: operation('journeys.remove', 'DELETE', '/control/journeys/:id', {
      summary: 'Removes a journey. Its runs take no further steps.',
      refusals: { 404: 'No journey has this id.' },
    }),
  },
  specGaps: {
    read: operation('specGaps.read', 'GET', '/control/spec-gaps', {
      summary: "Returns the switches for behavior that the service's document does not specify.",
      result: allSpecGapsSchema,
    }),
    set: operation('specGaps.set', 'PUT', '/control/spec-gaps', {
      summary: 'Changes switches, from the next request on. Keeps the switches that you leave out.',
      body: specGapsSchema,
      result: allSpecGapsSchema,
    }),
  },
  faults: {
    list: operation('faults.list', 'GET', '/control/faults', {
      summary: 'Lists the fault rules, and how often each fault was applied.',
      result: shapes.listOf(shapes.faultStateSchema),
    }),
    add: operation('faults.add', 'POST', '/control/faults', {
      summary: 'Adds a fault rule.',
      body: faultRuleSchema,
      status: 201,
      result: shapes.faultStateSchema,
    }),
    clear: operation('faults.clear', 'DELETE', '/control/faults', {
      summary: 'Removes all fault rules, including those of the seed.',
    }),
    remove: operation('faults.remove', 'DELETE', '/control/faults/:id', {
      summary: 'Removes a fault rule.',
      refusals: { 404: 'No rule has this id.' },
    }),
  },
  clock: {
    now: operation('clock.now', 'GET', '/control/clock', {
      summary:
        "Returns the workspace's time, whether it flows, and when the next waiting work is due: `now` and `next` in epoch milliseconds.",
      result: shapes.clockSchema,
    }),
    advance: operation('clock.advance', 'POST', '/control/clock/advance', {
      summary: 'Advances the time by a duration, such as 10s, and does all work that becomes due.',
      body: z.strictObject({ by: duration }),
      result: shapes.clockSchema,
    }),
    set: operation('clock.set', 'POST', '/control/clock/set', {
      summary: 'Advances the time to an instant, and does all work that becomes due.',
      body: z.strictObject({ to: instant }),
      result: shapes.clockSchema,
    }),
    runToIdle: operation('clock.runToIdle', 'POST', '/control/clock/run-to-idle', {
      summary: 'Advances the time until no work waits.',
      result: shapes.clockSchema,
    }),
    advanceToNext: operation('clock.advanceToNext', 'POST', '/control/clock/advance-to-next', {
      summary: 'Advances the time to the next waiting work, and does it. Does nothing if no work waits.',
      result: shapes.clockSchema,
    }),
    freeze: operation('clock.freeze', 'POST', '/control/clock/freeze', {
      summary: 'Freezes the clock at the current time. From then on, only requests advance it.',
      result: shapes.clockSchema,
    }),
    flow: operation('clock.flow', 'POST', '/control/clock/flow', {
      summary: "Lets the time run with the machine's, from the current time on.",
      result: shapes.clockSchema,
    }),
  },
  keys: {
    issue: operation('keys.issue', 'POST', '/control/api-keys', {
      summary: 'Issues another key.',
      status: 201,
      result: shapes.apiKeySchema,
    }),
    rotate: operation('keys.rotate', 'POST', '/control/api-keys/rotate', {
      summary: 'Replaces the key of the request with a new one.',
      status: 201,
      result: shapes.apiKeySchema,
      refusals: { 404: 'Another request already revoked the key.' },
    }),
    revoke: operation('keys.revoke', 'DELETE', '/control/api-keys', {
      summary: 'Revokes the key of the request.',
      refusals: { 404: 'Another request already revoked the key.' },
    }),
  },
  managedWebhooks: {
    list: operation('managedWebhooks.list', 'GET', '/control/managed-webhooks', {
      summary: 'Lists the subscriptions that the service itself manages, with their secrets.',
      result: shapes.listOf(shapes.managedWebhookResponseSchema),
    }),
    create: operation('managedWebhooks.create', 'POST', '/control/managed-webhooks', {
      summary: 'Creates a managed subscription.',
      body: managedWebhookSchema,
      status: 201,
      result: shapes.managedWebhookResponseSchema,
    }),
  },
  subscriptions: {
    list: operation('subscriptions.list', 'GET', '/control/subscriptions', {
      summary:
        'Lists all webhook subscriptions, including managed ones, each with the last four characters of its secret.',
      result: shapes.listOf(shapes.subscriptionSchema),
    }),
    secret: operation('subscriptions.secret', 'GET', '/control/subscriptions/:id/secret', {
      summary: 'Returns the signing secret of a subscription.',
      result: shapes.secretSchema,
      refusals: { 404: 'No subscription has this id.' },
    }),
    remove: operation('subscriptions.remove', 'DELETE', '/control/subscriptions/:id', {
      summary: 'Removes a subscription, even a managed one, and cancels its pending deliveries.',
      refusals: { 404: 'No subscription has this id.' },
    }),
  },
  receiver: {
    read: operation('receiver.read', 'GET', '/control/receiver', {
      summary: 'Returns the URL of the built-in receiver, and how it responds to deliveries.',
      result: shapes.receiverSchema,
    }),
    set: operation('receiver.set', 'PUT', '/control/receiver', {
      summary:
        'Sets how the built-in receiver responds: verify (200 for a valid signature), wrong_secret (401), error (500) or late.',
      body: receiverChangeSchema,
      result: shapes.receiverSchema,
    }),
  },
  listeners: {
    create: operation('listeners.create', 'POST', '/control/listeners', {
      summary:
        'Creates a listener: a managed subscription whose deliveries a program gets as a stream. The server never connects to its URL.',
      body: listenerSchema,
      status: 201,
      result: shapes.managedWebhookResponseSchema,
      refusals: { 429: 'This workspace already has the largest number of listeners.' },
    }),
    attempts: operation('listeners.attempts', 'GET', '/control/listeners/:id/attempts', {
      summary:
        'Streams the delivery attempts of a listener as server-sent events: first the waiting ones, then each new one.',
      stream: 'text/event-stream',
      refusals: { 404: 'No listener has this id.', 429: waits[429], 503: 'The workspace is about to close.' },
    }),
    respond: operation('listeners.respond', 'POST', '/control/listeners/:id/attempts/:attempt', {
      summary:
        "Reports the receiver's response to an attempt, or why there is none. Only the first report counts.",
      body: listenerResponseSchema,
      result: shapes.listenerOutcomeSchema,
      refusals: { 404: 'No listener has this id, or it had no such attempt.' },
    }),
    remove: operation('listeners.remove', 'DELETE', '/control/listeners/:id', {
      summary:
        'Removes a listener with its subscription. A listener without a connection is removed after a minute.',
      refusals: { 404: 'No listener has this id.' },
    }),
  },
  workspace: {
    settled: operation('settled', 'POST', '/control/settled', {
      summary: 'Responds when no due work is left.',
      result: shapes.clockSchema,
    }),
    snapshot: operation('snapshot', 'GET', '/control/snapshot', {
      summary: 'Returns the state of the workspace, including secrets and phone numbers.',
      result: snapshotSchema,
    }),
    restore: operation('restore', 'PUT', '/control/snapshot', {
      summary: 'Restores the workspace from a snapshot.',
      body: snapshotSchema,
      bodyLimit: snapshotLimit,
    }),
    seed: operation('seed', 'GET', '/control/seed', {
      summary:
        'Returns the current workspace as a seed without its history, for `serve --seed`. It contains secrets and phone numbers.',
      result: workspaceSeedSchema,
    }),
    reset: operation('reset', 'POST', '/control/reset', {
      summary: 'Restores the seed of the workspace, including its clock. Keeps the keys.',
    }),
    create: operation('workspace', 'POST', '/control/workspaces', {
      summary: "Creates another workspace from a seed. Requires the first workspace's key.",
      body: workspaceSeedSchema,
      status: 201,
      result: shapes.workspaceSchema,
      refusals: { 403: "The key is not the first workspace's." },
    }),
    close: operation('close', 'DELETE', '/control/workspaces/:id', {
      summary: "Closes a workspace. Requires its own key or the first workspace's key.",
      refusals: {
        403: 'It is the first workspace, or the key belongs to another workspace.',
        404: 'No workspace has this id.',
      },
    }),
  },
  workspaces: {
    list: operation('workspaces.list', 'GET', '/control/workspaces', {
      summary: "Lists the workspaces of the server. Requires the first workspace's key.",
      result: shapes.listOf(shapes.workspaceListingSchema),
      refusals: { 403: "The key is not the first workspace's." },
    }),
  },
} as const;

/** The operations that require no key. */
export const openControlOperations: ReadonlySet<string> = new Set(
  Object.values(controlOperations.surface).map(({ name }) => name),
);

/** Every operation, in the order of the table. */
export const controlOperationList: readonly AnyControlOperation[] = Object.values(controlOperations).flatMap(
  (subject) => Object.values<AnyControlOperation>(subject),
);
