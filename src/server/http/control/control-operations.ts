import * as z from 'zod/mini';
import { webhookEventTypes } from '../../../contract/webhook-event-type.js';
import {
  deliveryCheckSchema,
  deliveryExplanationSchema,
  receiversSideSchema,
} from '../../explanation/explanation-schema.js';
import { faultRuleSchema } from '../../faults/rule-schema.js';
import { listenerAnswerSchema, listenerSchema } from '../../hands/listener-schemas.js';
import { snapshotSchema } from '../../hands/snapshot-schema.js';
import { journalEntryTypes } from '../../model/journal-entry.js';
import { duration, instant } from '../../seed/fields.js';
import { journeySeedSchema } from '../../seed/journey-schema.js';
import { segmentSeedSchema } from '../../seed/segment-seed.js';
import { allSpecGapsSchema, specGapsSchema } from '../../seed/spec-gaps-schema.js';
import {
  quotaChangeSchema,
  templateChangeSchema,
  templateSeedSchema,
  workspaceSeedSchema,
} from '../../seed/workspace-seed.js';
import { inboundMessageSchema } from '../../service/inbound-message.js';
import { managedWebhookSchema } from '../../service/managed-webhook-seed.js';
import { type AnyControlOperation, operation } from './control-operation.js';
import {
  contact,
  optional,
  optionalPhone,
  paging,
  requiredPhone,
  since,
  text,
  waiting,
} from './query-parameters.js';
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
    index: operation({
      name: 'index',
      method: 'GET',
      path: '/control',
      summary: 'Lists the operations under /control. Requires no key.',
      status: 200,
    }),
    openApi: operation({
      name: 'openapi',
      method: 'GET',
      path: '/control/openapi.json',
      summary: 'Returns the control surface as an OpenAPI document. Requires no key.',
      status: 200,
    }),
  },
  simulate: {
    inboundMessage: operation({
      name: 'simulate.inboundMessage',
      method: 'POST',
      path: '/control/inbound-messages',
      summary:
        'Simulates a message from a contact. Subscriptions get a signed delivery. START and STOP change consent.',
      body: inboundMessageSchema,
      status: 202,
      result: shapes.inboundMessageResultSchema,
    }),
  },
  sends: {
    find: operation({
      name: 'sends.find',
      method: 'GET',
      path: '/control/sends',
      summary: 'Lists the sent template messages, oldest first. `wait` waits for the first that matches.',
      query: {
        contact,
        templateId: optional(text, 'The id of the template.'),
        text: optional(text, 'The whole sent text.'),
        journeyRunId: optional(text, 'The id of the journey run that sent it.'),
        ...waiting,
      },
      status: 200,
      result: shapes.pageOfLatest(shapes.sendSchema),
      refusals: waits,
    }),
  },
  events: {
    find: operation({
      name: 'events.find',
      method: 'GET',
      path: '/control/events',
      summary:
        'Lists the tracked events of all current contacts, oldest first. `wait` waits for the first that matches.',
      query: { contact, event: optional(text, 'The name of the event.'), ...waiting },
      status: 200,
      result: shapes.pageOfMany(shapes.eventSchema),
      refusals: waits,
    }),
  },
  deliveries: {
    find: operation({
      name: 'deliveries.find',
      method: 'GET',
      path: '/control/deliveries',
      summary:
        'Lists the webhook deliveries with their attempts, oldest first. `wait` without `status` waits for one that was delivered.',
      query: {
        event: optional(z.enum(webhookEventTypes), 'The type of the event.'),
        contact,
        subscriptionId: optional(text, 'The id of the subscription.'),
        status: optional(
          z.enum(['pending', 'delivered', 'failed', 'cancelled']),
          'The status of the delivery; pending while an attempt is due.',
        ),
        ...waiting,
      },
      status: 200,
      result: shapes.pageOfLatest(shapes.deliverySchema),
      refusals: waits,
    }),
    redeliver: operation({
      name: 'deliveries.redeliver',
      method: 'POST',
      path: '/control/deliveries/:id/redeliver',
      summary: 'Sends the same bytes to the same subscription again, as a new delivery.',
      status: 202,
      result: shapes.deliverySchema,
      refusals: { 404: 'No delivery has this id, or its subscription was deleted.' },
    }),
    explain: operation({
      name: 'deliveries.explain',
      method: 'GET',
      path: '/control/deliveries/:id/explanation',
      summary:
        'Explains why a delivery failed: its causes, the most likely first, with its signature and the clocks.',
      status: 200,
      result: deliveryExplanationSchema,
      refusals: { 404: 'No delivery has this id.' },
    }),
    check: operation({
      name: 'deliveries.check',
      method: 'POST',
      path: '/control/deliveries/:id/check',
      summary:
        "Verifies a delivery with its receiver's `secret`, with the `body` that it hashed, or with both, and explains a mismatch.",
      body: receiversSideSchema,
      status: 200,
      result: deliveryCheckSchema,
      refusals: { 404: 'No delivery has this id, or its subscription was deleted and there is no `secret`.' },
    }),
  },
  journal: {
    follow: operation({
      name: 'journal.follow',
      method: 'GET',
      path: '/control/stream',
      summary:
        'Streams the journal as server-sent events, from now on or after the entry in Last-Event-ID, and reports other changes.',
      query: { since },
      status: 200,
      stream: 'text/event-stream',
      refusals: { 429: waits[429] },
    }),
    find: operation({
      name: 'journal.find',
      method: 'GET',
      path: '/control/journal',
      summary:
        'Lists the journal, oldest first. Each entry has its number. `wait` waits for the first that matches.',
      query: {
        type: optional(z.enum(journalEntryTypes), 'The type of the entries.'),
        operation: optional(text, 'The operation of requests and their faults, such as contacts.upsert.'),
        requestId: optional(
          text,
          'The X-Request-Id of a response: its request, what struck that, and what it sent or tracked.',
        ),
        since,
        ...waiting,
      },
      status: 200,
      result: shapes.pageOfLatest(shapes.entrySchema),
      refusals: waits,
    }),
    inspect: operation({
      name: 'journal.inspect',
      method: 'GET',
      path: '/control/journal/:number',
      summary:
        'Returns an entry, its causes and effects, and text that reproduces it: a curl command, code and a test.',
      status: 200,
      result: shapes.inspectionSchema,
      refusals: { 404: 'The journal has no entry with this number, or has dropped it.' },
    }),
    journeyRuns: operation({
      name: 'journal.journeyRuns',
      method: 'GET',
      path: '/control/journey-runs',
      summary: 'Lists the journey runs, oldest first.',
      query: paging,
      status: 200,
      result: shapes.pageOfLatest(shapes.journeyRunSchema),
    }),
    segmentMembers: operation({
      name: 'journal.segmentMembers',
      method: 'GET',
      path: '/control/segments/:id/members',
      summary: 'Lists the ids of the contacts in a segment.',
      status: 200,
      result: shapes.listOf(text),
      refusals: { 404: 'No segment has this id.' },
    }),
    consent: operation({
      name: 'journal.consent',
      method: 'GET',
      path: '/control/consent',
      summary: 'Returns the consent of a contact.',
      query: { phone: requiredPhone },
      status: 200,
      result: shapes.consentSchema,
      refusals: { 404: 'No contact has this phone.' },
    }),
  },
  contacts: {
    list: operation({
      name: 'contacts.list',
      method: 'GET',
      path: '/control/contacts',
      summary: 'Lists the contacts, oldest first.',
      query: {
        phone: optionalPhone,
        consent: optional(z.enum(shapes.consents), "The contact's consent."),
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
      status: 200,
      result: shapes.pageOfMany(shapes.contactSchema),
    }),
    read: operation({
      name: 'contacts.read',
      method: 'GET',
      path: '/control/contacts/:contact',
      summary: 'Returns the contact with an id or a phone, and its consent.',
      status: 200,
      result: shapes.contactSchema,
      refusals: { 404: 'No contact has this id or phone.' },
    }),
  },
  quota: {
    read: operation({
      name: 'quota.read',
      method: 'GET',
      path: '/control/quota',
      summary: 'Returns the remaining conversations: of the plan, and add-on credits.',
      status: 200,
      result: shapes.quotaSchema,
    }),
    set: operation({
      name: 'quota.set',
      method: 'PUT',
      path: '/control/quota',
      summary: 'Sets the remaining conversations: `quota`, `addOnCredits` or both.',
      body: quotaChangeSchema,
      status: 200,
      result: shapes.quotaSchema,
    }),
  },
  templates: {
    list: operation({
      name: 'templates.list',
      method: 'GET',
      path: '/control/templates',
      summary: 'Lists the templates, with any status.',
      status: 200,
      result: shapes.listOf(shapes.templateSchema),
    }),
    put: operation({
      name: 'templates.put',
      method: 'PUT',
      path: '/control/templates',
      summary: 'Adds a template, or replaces the template with the same id.',
      body: templateSeedSchema,
      status: 200,
      result: shapes.templateSchema,
    }),
    update: operation({
      name: 'templates.update',
      method: 'PUT',
      path: '/control/templates/:id',
      summary:
        'Changes the `status`, `body`, `name` or `language` of a template. Keeps the fields that you leave out.',
      body: templateChangeSchema,
      status: 200,
      result: shapes.templateSchema,
      refusals: { 404: 'No template has this id.' },
    }),
    remove: operation({
      name: 'templates.remove',
      method: 'DELETE',
      path: '/control/templates/:id',
      summary: 'Removes a template. A journey run that sends a removed template fails.',
      status: 204,
      refusals: { 404: 'No template has this id.' },
    }),
  },
  segments: {
    list: operation({
      name: 'segments.list',
      method: 'GET',
      path: '/control/segments',
      summary: 'Lists the segments.',
      status: 200,
      result: shapes.listOf(segmentSeedSchema),
    }),
    put: operation({
      name: 'segments.put',
      method: 'PUT',
      path: '/control/segments',
      summary: 'Adds a segment, or replaces the segment with the same id.',
      body: segmentSeedSchema,
      status: 200,
      result: segmentSeedSchema,
    }),
    remove: operation({
      name: 'segments.remove',
      method: 'DELETE',
      path: '/control/segments/:id',
      summary: 'Removes a segment. A journey branch on a removed segment takes `else`.',
      status: 204,
      refusals: { 404: 'No segment has this id.' },
    }),
  },
  journeys: {
    list: operation({
      name: 'journeys.list',
      method: 'GET',
      path: '/control/journeys',
      summary: 'Lists the journeys with their steps.',
      status: 200,
      result: shapes.listOf(journeySeedSchema),
    }),
    put: operation({
      name: 'journeys.put',
      method: 'PUT',
      path: '/control/journeys',
      summary:
        'Adds a journey, or replaces the journey with the same id. Its templates and segments must exist.',
      body: journeySeedSchema,
      status: 200,
      result: journeySeedSchema,
    }),
    remove: operation({
      name: 'journeys.remove',
      method: 'DELETE',
      path: '/control/journeys/:id',
      summary: 'Removes a journey. Its runs take no further steps.',
      status: 204,
      refusals: { 404: 'No journey has this id.' },
    }),
  },
  specGaps: {
    read: operation({
      name: 'specGaps.read',
      method: 'GET',
      path: '/control/spec-gaps',
      summary: "Returns the switches for behavior that the service's document does not specify.",
      status: 200,
      result: allSpecGapsSchema,
    }),
    set: operation({
      name: 'specGaps.set',
      method: 'PUT',
      path: '/control/spec-gaps',
      summary: 'Changes switches, from the next request on. Keeps the switches that you leave out.',
      body: specGapsSchema,
      status: 200,
      result: allSpecGapsSchema,
    }),
  },
  faults: {
    list: operation({
      name: 'faults.list',
      method: 'GET',
      path: '/control/faults',
      summary: 'Lists the fault rules, and how often each fault struck.',
      status: 200,
      result: shapes.listOf(shapes.faultStateSchema),
    }),
    add: operation({
      name: 'faults.add',
      method: 'POST',
      path: '/control/faults',
      summary: 'Adds a fault rule.',
      body: faultRuleSchema,
      status: 201,
      result: shapes.faultStateSchema,
    }),
    clear: operation({
      name: 'faults.clear',
      method: 'DELETE',
      path: '/control/faults',
      summary: 'Removes all fault rules, including those of the seed.',
      status: 204,
    }),
    remove: operation({
      name: 'faults.remove',
      method: 'DELETE',
      path: '/control/faults/:id',
      summary: 'Removes a fault rule.',
      status: 204,
      refusals: { 404: 'No rule has this id.' },
    }),
  },
  clock: {
    now: operation({
      name: 'clock.now',
      method: 'GET',
      path: '/control/clock',
      summary:
        "Returns the workspace's time, whether it flows, and when the next waiting work is due: `now` and `next` in epoch milliseconds.",
      status: 200,
      result: shapes.clockSchema,
    }),
    advance: operation({
      name: 'clock.advance',
      method: 'POST',
      path: '/control/clock/advance',
      summary: 'Advances the time by a duration, such as 10s, and does all work that becomes due.',
      body: z.strictObject({ by: duration }),
      status: 200,
      result: shapes.clockSchema,
    }),
    set: operation({
      name: 'clock.set',
      method: 'POST',
      path: '/control/clock/set',
      summary: 'Advances the time to an instant, and does all work that becomes due.',
      body: z.strictObject({ to: instant }),
      status: 200,
      result: shapes.clockSchema,
    }),
    runToIdle: operation({
      name: 'clock.runToIdle',
      method: 'POST',
      path: '/control/clock/run-to-idle',
      summary: 'Advances the time until no work waits.',
      status: 200,
      result: shapes.clockSchema,
    }),
    advanceToNext: operation({
      name: 'clock.advanceToNext',
      method: 'POST',
      path: '/control/clock/advance-to-next',
      summary: 'Advances the time to the next waiting work, and does it. Does nothing if no work waits.',
      status: 200,
      result: shapes.clockSchema,
    }),
    freeze: operation({
      name: 'clock.freeze',
      method: 'POST',
      path: '/control/clock/freeze',
      summary: 'Freezes the clock at the current time. From then on, only requests advance it.',
      status: 200,
      result: shapes.clockSchema,
    }),
    flow: operation({
      name: 'clock.flow',
      method: 'POST',
      path: '/control/clock/flow',
      summary: "Lets the time run with the machine's, from the current time on.",
      status: 200,
      result: shapes.clockSchema,
    }),
  },
  keys: {
    issue: operation({
      name: 'keys.issue',
      method: 'POST',
      path: '/control/api-keys',
      summary: 'Issues another key.',
      status: 201,
      result: shapes.apiKeySchema,
    }),
    rotate: operation({
      name: 'keys.rotate',
      method: 'POST',
      path: '/control/api-keys/rotate',
      summary: 'Replaces the key of the request with a new one.',
      status: 201,
      result: shapes.apiKeySchema,
      refusals: { 404: 'Another request already revoked the key.' },
    }),
    revoke: operation({
      name: 'keys.revoke',
      method: 'DELETE',
      path: '/control/api-keys',
      summary: 'Revokes the key of the request.',
      status: 204,
      refusals: { 404: 'Another request already revoked the key.' },
    }),
  },
  managedWebhooks: {
    list: operation({
      name: 'managedWebhooks.list',
      method: 'GET',
      path: '/control/managed-webhooks',
      summary: 'Lists the subscriptions that the service itself manages, with their secrets.',
      status: 200,
      result: shapes.listOf(shapes.managedWebhookAnswerSchema),
    }),
    create: operation({
      name: 'managedWebhooks.create',
      method: 'POST',
      path: '/control/managed-webhooks',
      summary: 'Creates a managed subscription.',
      body: managedWebhookSchema,
      status: 201,
      result: shapes.managedWebhookAnswerSchema,
    }),
  },
  subscriptions: {
    list: operation({
      name: 'subscriptions.list',
      method: 'GET',
      path: '/control/subscriptions',
      summary:
        'Lists all webhook subscriptions, including managed ones, each with the last four characters of its secret.',
      status: 200,
      result: shapes.listOf(shapes.subscriptionSchema),
    }),
    secret: operation({
      name: 'subscriptions.secret',
      method: 'GET',
      path: '/control/subscriptions/:id/secret',
      summary: 'Returns the signing secret of a subscription.',
      status: 200,
      result: shapes.secretSchema,
      refusals: { 404: 'No subscription has this id.' },
    }),
    remove: operation({
      name: 'subscriptions.remove',
      method: 'DELETE',
      path: '/control/subscriptions/:id',
      summary: 'Removes a subscription, even a managed one, and cancels its pending deliveries.',
      status: 204,
      refusals: { 404: 'No subscription has this id.' },
    }),
  },
  listeners: {
    create: operation({
      name: 'listeners.create',
      method: 'POST',
      path: '/control/listeners',
      summary:
        'Creates a listener: a managed subscription whose deliveries a program gets as a stream. The server never connects to its URL.',
      body: listenerSchema,
      status: 201,
      result: shapes.managedWebhookAnswerSchema,
      refusals: { 429: 'This workspace already has the largest number of listeners.' },
    }),
    attempts: operation({
      name: 'listeners.attempts',
      method: 'GET',
      path: '/control/listeners/:id/attempts',
      summary:
        'Streams the delivery attempts of a listener as server-sent events: first the waiting ones, then each new one.',
      status: 200,
      stream: 'text/event-stream',
      refusals: { 404: 'No listener has this id.', 429: waits[429], 503: 'The workspace is about to close.' },
    }),
    answer: operation({
      name: 'listeners.answer',
      method: 'POST',
      path: '/control/listeners/:id/attempts/:attempt',
      summary:
        "Reports the receiver's response to an attempt, or why there is none. Only the first report counts.",
      body: listenerAnswerSchema,
      status: 200,
      result: shapes.listenerOutcomeSchema,
      refusals: { 404: 'No listener has this id, or it had no such attempt.' },
    }),
    remove: operation({
      name: 'listeners.remove',
      method: 'DELETE',
      path: '/control/listeners/:id',
      summary:
        'Removes a listener with its subscription. A listener without a connection is removed after a minute.',
      status: 204,
      refusals: { 404: 'No listener has this id.' },
    }),
  },
  workspace: {
    settled: operation({
      name: 'settled',
      method: 'POST',
      path: '/control/settled',
      summary: 'Responds when no due work is left.',
      status: 200,
      result: shapes.clockSchema,
    }),
    snapshot: operation({
      name: 'snapshot',
      method: 'GET',
      path: '/control/snapshot',
      summary: 'Returns the state of the workspace, including secrets and phone numbers.',
      status: 200,
      result: snapshotSchema,
    }),
    restore: operation({
      name: 'restore',
      method: 'PUT',
      path: '/control/snapshot',
      summary: 'Restores the workspace from a snapshot.',
      body: snapshotSchema,
      bodyLimit: snapshotLimit,
      status: 204,
    }),
    seed: operation({
      name: 'seed',
      method: 'GET',
      path: '/control/seed',
      summary:
        'Returns the current workspace as a seed without its history, for `serve --seed`. It contains secrets and phone numbers.',
      status: 200,
      result: workspaceSeedSchema,
    }),
    reset: operation({
      name: 'reset',
      method: 'POST',
      path: '/control/reset',
      summary: 'Restores the seed of the workspace, including its clock. Keeps the keys.',
      status: 204,
    }),
    create: operation({
      name: 'workspace',
      method: 'POST',
      path: '/control/workspaces',
      summary: "Creates another workspace from a seed. Requires the first workspace's key.",
      body: workspaceSeedSchema,
      status: 201,
      result: shapes.workspaceSchema,
      refusals: { 403: "The key is not the first workspace's." },
    }),
    close: operation({
      name: 'close',
      method: 'DELETE',
      path: '/control/workspaces/:id',
      summary: "Closes a workspace. Requires its own key or the first workspace's key.",
      status: 204,
      refusals: {
        403: 'It is the first workspace, or the key belongs to another workspace.',
        404: 'No workspace has this id.',
      },
    }),
  },
  workspaces: {
    list: operation({
      name: 'workspaces.list',
      method: 'GET',
      path: '/control/workspaces',
      summary: "Lists the workspaces of the server. Requires the first workspace's key.",
      status: 200,
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
