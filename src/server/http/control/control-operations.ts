import * as z from 'zod/mini';
import { webhookEventTypes } from '../../../contract/webhook-event-type.js';
import { faultRuleSchema } from '../../faults/rule-schema.js';
import { snapshotSchema } from '../../hands/snapshot-schema.js';
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

/** What a wait over HTTP may come to. */
const waits = {
  408: 'Nothing that matches happened in time; the message names what came nearest.',
  429: 'As many waits as may be are under way in this workspace.',
  503: 'The workspace ended during the wait.',
} as const;

/**
 * All that a test can do over HTTP. The routes, the checks, the index, the OpenAPI document and the guide read this table;
 * no path of the control surface is written anywhere else.
 */
export const controlOperations = {
  surface: {
    index: operation({
      name: 'index',
      method: 'GET',
      path: '/control',
      summary: 'Lists what is under /control. It needs no key.',
      status: 200,
    }),
    openApi: operation({
      name: 'openapi',
      method: 'GET',
      path: '/control/openapi.json',
      summary: 'The control surface as an OpenAPI document. It needs no key.',
      status: 200,
    }),
  },
  simulate: {
    inboundMessage: operation({
      name: 'simulate.inboundMessage',
      method: 'POST',
      path: '/control/inbound-messages',
      summary:
        'A contact writes to the workspace: its subscriptions get a signed delivery. START and STOP change consent.',
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
      summary: 'The template messages that were sent, oldest first, or the first that is still to come.',
      query: {
        contact,
        template: optional(text, 'The id of the template.'),
        text: optional(text, 'The whole text that went out.'),
        journeyRun: optional(text, 'The id of the journey run that sent it.'),
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
        'The events that were tracked for the contacts there are, oldest first, or the first that is still to come.',
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
        'The webhook deliveries with their attempts, oldest first. With `wait` and no `status`, the first that was delivered.',
      query: {
        event: optional(z.enum(webhookEventTypes), 'The type of the event.'),
        contact,
        subscription: optional(text, 'The id of the subscription.'),
        status: optional(
          z.enum(['pending', 'delivered', 'failed', 'cancelled']),
          'How the delivery stands; pending while an attempt is to come.',
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
      summary: 'Delivers the same bytes to the same subscription once more, as a delivery of its own.',
      status: 202,
      result: shapes.deliverySchema,
      refusals: { 404: 'No delivery has this id, or its subscription is gone.' },
    }),
  },
  journal: {
    find: operation({
      name: 'journal.find',
      method: 'GET',
      path: '/control/journal',
      summary:
        'Everything that happened, oldest first, each entry with its number, or the first that is still to come.',
      query: {
        type: optional(z.enum(shapes.entryTypes), 'The type of the entries.'),
        operation: optional(text, 'The operation of requests and their faults, such as contacts.upsert.'),
        requestId: optional(text, 'The X-Request-Id of an answer.'),
        since,
        ...waiting,
      },
      status: 200,
      result: shapes.pageOfLatest(shapes.entrySchema),
      refusals: waits,
    }),
    journeyRuns: operation({
      name: 'journal.journeyRuns',
      method: 'GET',
      path: '/control/journey-runs',
      summary: 'The ways of contacts through journeys, oldest first.',
      query: paging,
      status: 200,
      result: shapes.pageOfLatest(shapes.journeyRunSchema),
    }),
    segmentMembers: operation({
      name: 'journal.segmentMembers',
      method: 'GET',
      path: '/control/segments/:id/members',
      summary: 'The ids of the contacts in a segment.',
      status: 200,
      result: shapes.listOf(text),
      refusals: { 404: 'No segment has this id.' },
    }),
    consent: operation({
      name: 'journal.consent',
      method: 'GET',
      path: '/control/consent',
      summary: "A contact's consent.",
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
      summary: 'The contacts, oldest first.',
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
          "A property's name and value, such as city:Paris. Given more than once, all must hold.",
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
      summary: 'The contact with an id or a phone, and its consent.',
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
      summary: 'The conversations that are left, of the plan and of the add-on credits.',
      status: 200,
      result: shapes.quotaSchema,
    }),
    set: operation({
      name: 'quota.set',
      method: 'PUT',
      path: '/control/quota',
      summary: 'Sets the conversations that are left: `quota`, `addOnCredits` or both.',
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
      summary: 'The templates, whatever their status.',
      status: 200,
      result: shapes.listOf(shapes.templateSchema),
    }),
    put: operation({
      name: 'templates.put',
      method: 'PUT',
      path: '/control/templates',
      summary: 'Adds a template, or puts it in the place of the one with its id.',
      body: templateSeedSchema,
      status: 200,
      result: shapes.templateSchema,
    }),
    update: operation({
      name: 'templates.update',
      method: 'PUT',
      path: '/control/templates/:id',
      summary: 'Changes what is named of a template: `status`, `body`, `name` or `language`.',
      body: templateChangeSchema,
      status: 200,
      result: shapes.templateSchema,
      refusals: { 404: 'No template has this id.' },
    }),
    remove: operation({
      name: 'templates.remove',
      method: 'DELETE',
      path: '/control/templates/:id',
      summary: 'Takes a template away. A journey that sends it fails at that step.',
      status: 204,
      refusals: { 404: 'No template has this id.' },
    }),
  },
  segments: {
    list: operation({
      name: 'segments.list',
      method: 'GET',
      path: '/control/segments',
      summary: 'The segments.',
      status: 200,
      result: shapes.listOf(segmentSeedSchema),
    }),
    put: operation({
      name: 'segments.put',
      method: 'PUT',
      path: '/control/segments',
      summary: 'Adds a segment, or puts it in the place of the one with its id.',
      body: segmentSeedSchema,
      status: 200,
      result: segmentSeedSchema,
    }),
    remove: operation({
      name: 'segments.remove',
      method: 'DELETE',
      path: '/control/segments/:id',
      summary: 'Takes a segment away. A journey that asks for it is answered no.',
      status: 204,
      refusals: { 404: 'No segment has this id.' },
    }),
  },
  journeys: {
    list: operation({
      name: 'journeys.list',
      method: 'GET',
      path: '/control/journeys',
      summary: 'The journeys: the id of each, and the event that starts it.',
      status: 200,
      result: shapes.listOf(shapes.journeyNameSchema),
    }),
    put: operation({
      name: 'journeys.put',
      method: 'PUT',
      path: '/control/journeys',
      summary:
        'Adds a journey, or puts it in the place of the one with its id. Its templates and segments must be there.',
      body: journeySeedSchema,
      status: 200,
      result: shapes.journeyNameSchema,
    }),
    remove: operation({
      name: 'journeys.remove',
      method: 'DELETE',
      path: '/control/journeys/:id',
      summary: 'Takes a journey away. Who is on its way through it has come to its end.',
      status: 204,
      refusals: { 404: 'No journey has this id.' },
    }),
  },
  specGaps: {
    read: operation({
      name: 'specGaps.read',
      method: 'GET',
      path: '/control/spec-gaps',
      summary: "What the workspace does where the service's document shows nothing.",
      status: 200,
      result: allSpecGapsSchema,
    }),
    set: operation({
      name: 'specGaps.set',
      method: 'PUT',
      path: '/control/spec-gaps',
      summary: 'Has it do otherwise from the next request on. What is not named stays.',
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
      summary: 'The fault rules, and how often each has struck.',
      status: 200,
      result: shapes.listOf(shapes.faultStateSchema),
    }),
    add: operation({
      name: 'faults.add',
      method: 'POST',
      path: '/control/faults',
      summary: 'Has a fault injected from now on.',
      body: faultRuleSchema,
      status: 201,
      result: shapes.faultStateSchema,
    }),
    clear: operation({
      name: 'faults.clear',
      method: 'DELETE',
      path: '/control/faults',
      summary: 'Takes all fault rules back, those of the seed too.',
      status: 204,
    }),
    remove: operation({
      name: 'faults.remove',
      method: 'DELETE',
      path: '/control/faults/:id',
      summary: 'Takes a fault rule back.',
      status: 204,
      refusals: { 404: 'No rule has this id.' },
    }),
  },
  clock: {
    now: operation({
      name: 'clock.now',
      method: 'GET',
      path: '/control/clock',
      summary: "The workspace's time, in epoch milliseconds and as ISO 8601.",
      status: 200,
      result: shapes.timeSchema,
    }),
    advance: operation({
      name: 'clock.advance',
      method: 'POST',
      path: '/control/clock/advance',
      summary: 'Moves the time on, such as by 10s, and does what falls due on the way.',
      body: z.strictObject({ by: duration }),
      status: 200,
      result: shapes.timeSchema,
    }),
    set: operation({
      name: 'clock.set',
      method: 'POST',
      path: '/control/clock/set',
      summary: 'Moves the time on to an instant, in the same way.',
      body: z.strictObject({ to: instant }),
      status: 200,
      result: shapes.timeSchema,
    }),
    runToIdle: operation({
      name: 'clock.runToIdle',
      method: 'POST',
      path: '/control/clock/run-to-idle',
      summary: 'Moves the time on for as long as anything waits.',
      status: 200,
      result: shapes.timeSchema,
    }),
  },
  keys: {
    issue: operation({
      name: 'keys.issue',
      method: 'POST',
      path: '/control/api-keys',
      summary: 'Makes one more key.',
      status: 201,
      result: shapes.apiKeySchema,
    }),
    rotate: operation({
      name: 'keys.rotate',
      method: 'POST',
      path: '/control/api-keys/rotate',
      summary: 'Makes a key in the place of the one that the request carries.',
      status: 201,
      result: shapes.apiKeySchema,
      refusals: { 404: 'Another request has revoked the key meanwhile.' },
    }),
    revoke: operation({
      name: 'keys.revoke',
      method: 'DELETE',
      path: '/control/api-keys',
      summary: 'Has the key that the request carries refused from now on.',
      status: 204,
      refusals: { 404: 'Another request has revoked the key meanwhile.' },
    }),
  },
  managedWebhooks: {
    list: operation({
      name: 'managedWebhooks.list',
      method: 'GET',
      path: '/control/managed-webhooks',
      summary: 'The subscriptions that the service manages itself, with their secrets.',
      status: 200,
      result: shapes.listOf(shapes.managedWebhookAnswerSchema),
    }),
    create: operation({
      name: 'managedWebhooks.create',
      method: 'POST',
      path: '/control/managed-webhooks',
      summary: 'Makes one more.',
      body: managedWebhookSchema,
      status: 201,
      result: shapes.managedWebhookAnswerSchema,
    }),
  },
  workspace: {
    settled: operation({
      name: 'settled',
      method: 'POST',
      path: '/control/settled',
      summary: 'Answers when all that is due has been done.',
      status: 200,
      result: shapes.timeSchema,
    }),
    snapshot: operation({
      name: 'snapshot',
      method: 'GET',
      path: '/control/snapshot',
      summary: 'All that the workspace holds, secrets and phone numbers included.',
      status: 200,
      result: snapshotSchema,
    }),
    restore: operation({
      name: 'restore',
      method: 'PUT',
      path: '/control/snapshot',
      summary: 'Puts the workspace back to what a snapshot holds.',
      body: snapshotSchema,
      bodyLimit: snapshotLimit,
      status: 204,
    }),
    reset: operation({
      name: 'reset',
      method: 'POST',
      path: '/control/reset',
      summary: 'Puts the workspace back to its seed, its clock too. The keys stay.',
      status: 204,
    }),
    create: operation({
      name: 'workspace',
      method: 'POST',
      path: '/control/workspaces',
      summary: "Makes another workspace of a seed, by the first workspace's key.",
      body: workspaceSeedSchema,
      status: 201,
      result: shapes.workspaceSchema,
      refusals: { 403: "The key is not the first workspace's." },
    }),
    close: operation({
      name: 'close',
      method: 'DELETE',
      path: '/control/workspaces/:id',
      summary: "Ends a workspace, by its own key or the first workspace's.",
      status: 204,
      refusals: { 403: "It is the first workspace, or another's.", 404: 'No workspace has this id.' },
    }),
  },
} as const;

/** Those that anybody may ask, without a key. */
export const openControlOperations: ReadonlySet<string> = new Set(
  Object.values(controlOperations.surface).map(({ name }) => name),
);

/** Every operation, in the order of the table. */
export const controlOperationList: readonly AnyControlOperation[] = Object.values(controlOperations).flatMap(
  (subject) => Object.values<AnyControlOperation>(subject),
);
