import * as client from 'messaging-automation';
import { type MessagingAutomation as Client, MessagingAutomation } from 'messaging-automation';
import * as bulk from 'messaging-automation/bulk';
import * as conformance from 'messaging-automation/conformance';
import * as msw from 'messaging-automation/msw';
import * as postgres from 'messaging-automation/postgres';
import * as server from 'messaging-automation/server';
import * as undici from 'messaging-automation/undici';
import * as fixtures from 'messaging-automation/vitest';
import * as webhooks from 'messaging-automation/webhooks';

/** How the matrix of options calls a function, and what it may expect. */
export interface Way {
  /** Calls the function with these options, and with what else it needs. */
  readonly call: (options: object) => unknown;
  /** Options without which the function does nothing, each with a value that fits. */
  readonly needed?: Readonly<Record<string, unknown>>;
  /**
   * What becomes of a name that the function does not know: `warned` by one that sets something up, `refused` by one that acts, `listed`
   * where options are content, whose errors list everything, and `sent` in a message, whose fields a newer service may know.
   */
  readonly unknown: 'warned' | 'refused' | 'listed' | 'sent';
  /** Protections, for which `undefined` is a mistake. */
  readonly protections?: readonly string[];
  /** Options that are checked later or accept more than their types say, each with the reason. */
  readonly later?: Readonly<Record<string, string>>;
  /** Options that hold content with names of its own. */
  readonly content?: readonly string[];
  /** Numbers that fit some options, although they fit few. */
  readonly numbers?: Readonly<Record<string, number>>;
}

let requests = 0;
/** How many requests the client of the matrix has made. */
export const requestsMade = (): number => requests;

const baseUrl = 'https://messaging.example.test/api';
const fetch = async (): Promise<Response> => {
  requests += 1;
  return Response.json({});
};
const messaging: Client = new MessagingAutomation({
  apiKey: 'key',
  baseUrl,
  retries: 0,
  validation: 'off',
  fetch,
  idempotencyStore: client.createMemoryKeyValueStore(),
});
const { contacts, events, transactional, templates, webhooks: subscriptions } = messaging;
const phone = '+15551234567';
const message = { phone, templateId: 'order_update' };
const event = { event: 'order_placed', phone };
const endpoint = { url: 'https://example.com/hooks', events: ['message.received'] };

/** Calls as a program without types does. */
function calling(target: object, method: string, ...before: readonly unknown[]): Way['call'] {
  return (options) => {
    const called: unknown = Reflect.get(target, method);
    if (typeof called !== 'function') throw new TypeError(`There is no ${method}.`);
    return Reflect.apply(called, target, [...before, options]);
  };
}

const ofCall = (target: object, method: string, ...before: readonly unknown[]): Way => ({
  call: calling(target, method, ...before),
  unknown: 'refused',
});

const ofKeyedCall = (target: object, method: string, ...before: readonly unknown[]): Way => ({
  ...ofCall(target, method, ...before),
  protections: ['idempotencyKey'],
});

/** Runs begin with their loop or their summary. */
const ofRun = (target: object, method: string, protections: readonly string[]): Way => ({
  call: async (options) => {
    const run: unknown = await calling(target, method, [])(options);
    const { summary }: { readonly summary?: () => unknown } = Object(run);
    return summary === undefined ? run : Reflect.apply(summary, run, []);
  },
  unknown: 'refused',
  protections,
});

const ofSetup = (target: object, method: string, ...before: readonly unknown[]): Way => ({
  call: calling(target, method, ...before),
  unknown: 'warned',
});

const constructing = (options: object): unknown => Reflect.construct(MessagingAutomation, [options]);

const reference = server.createReferenceServer({ clock: 'frozen' });
const other = reference.workspace();
const body = JSON.stringify({ event: 'contact.opted_in', workspaceId: 'w', timestamp: new Date(), data: {} });
const secret = 'whsec_example';
const service = client.createMemoryKeyValueStore();
const redis = { eval: async () => 1 };
const pool = { query: async () => ({ rows: [] }) };

const ofSeed = { unknown: 'listed', content: ['state'], numbers: { now: -1, randomSeed: -1 } } as const;

const clientOptions = { later: { workspace: 'it has the type of the workspace' }, content: ['logger'] };

/** Each of the functions with options, as `takersOfOptions` names it. */
export const ways: Readonly<Record<string, Way>> = {
  'new MessagingAutomation(options)': {
    call: constructing,
    needed: { apiKey: 'key', baseUrl, 'appInfo.name': 'shop' },
    unknown: 'warned',
    protections: ['guards'],
    ...clientOptions,
  },
  // What is `undefined` stays as it is.
  'MessagingAutomation.withOptions(options)': {
    ...ofSetup(messaging, 'withOptions'),
    needed: { 'appInfo.name': 'shop' },
    ...clientOptions,
  },
  'MessagingAutomation.request(options)': ofCall(messaging, 'request', {
    method: 'GET',
    path: '/v1/templates',
  }),
  'MessagingAutomation.request(request)': {
    ...ofCall(messaging, 'request'),
    later: { body: 'may also be an array' },
    needed: { method: 'GET', path: '/v1/templates' },
  },
  'Contacts.upsert(input)': { ...ofCall(contacts, 'upsert'), needed: { phone }, unknown: 'sent' },
  'Contacts.upsert(options)': ofCall(contacts, 'upsert', { phone }),
  'Contacts.update(options)': ofCall(contacts, 'update', 'c1', { properties: {} }),
  'Contacts.find(options)': ofCall(contacts, 'find', phone),
  'Contacts.get(options)': ofCall(contacts, 'get', 'c1'),
  'Contacts.delete(options)': ofCall(contacts, 'delete', 'c1'),
  'Contacts.upsertMany(options)': ofRun(contacts, 'upsertMany', ['checkpoint']),
  'Contacts.upsertEach(options)': ofRun(contacts, 'upsertEach', ['checkpoint']),
  'Transactional.send(input)': { ...ofCall(transactional, 'send'), needed: message, unknown: 'sent' },
  'Transactional.send(options)': ofKeyedCall(transactional, 'send', message),
  'Transactional.sendMany(options)': ofRun(transactional, 'sendMany', ['idempotencyKey', 'checkpoint']),
  'Transactional.sendEach(options)': ofRun(transactional, 'sendEach', ['idempotencyKey', 'checkpoint']),
  'Transactional.unsettled(options)': ofCall(transactional, 'unsettled'),
  'Events.track(input)': { ...ofCall(events, 'track'), needed: event, unknown: 'sent' },
  'Events.track(options)': ofKeyedCall(events, 'track', event),
  'Events.trackMany(options)': ofRun(events, 'trackMany', ['idempotencyKey', 'checkpoint']),
  'Events.trackEach(options)': ofRun(events, 'trackEach', ['idempotencyKey', 'checkpoint']),
  'Events.unsettled(options)': ofCall(events, 'unsettled'),
  'Templates.list(options)': ofCall(templates, 'list'),
  'Webhooks.create(options)': ofCall(subscriptions, 'create', endpoint),
  'Webhooks.list(options)': ofCall(subscriptions, 'list'),
  'Webhooks.delete(options)': ofCall(subscriptions, 'delete', 's1'),
  'createLimiter(options)': ofSetup(client, 'createLimiter'),
  'createMemoryKeyValueStore(options)': ofSetup(client, 'createMemoryKeyValueStore'),
  'createOptOutList(options)': { ...ofSetup(client, 'createOptOutList'), needed: { store: service } },
  'createRedisKeyValueStore(options)': ofSetup(client, 'createRedisKeyValueStore', redis),
  'createPostgresKeyValueStore(options)': ofSetup(client, 'createPostgresKeyValueStore', pool),
  'defineWorkspace(definition)': { ...ofSetup(client, 'defineWorkspace'), unknown: 'listed' },
  'fileCheckpoint(options)': ofSetup(bulk, 'fileCheckpoint', 'checkpoint.json'),
  'undiciTransport(options)': ofSetup(undici, 'undiciTransport'),
  'createWebhookReceiver(options)': {
    ...ofSetup(webhooks, 'createWebhookReceiver'),
    needed: { secret },
    protections: ['workspaceId', 'secret'],
    later: { secret: 'without one, the receiver warns, because frameworks load it at build time' },
  },
  'WebhookReceiver.drain(options)': ofCall(webhooks.createWebhookReceiver({ secret }), 'drain'),
  'unwrapWebhook(options)': ofCall(
    webhooks,
    'unwrapWebhook',
    body,
    webhooks.signWebhook(body, secret),
    secret,
  ),
  'unwrapWebhookAsync(options)': ofCall(
    webhooks,
    'unwrapWebhookAsync',
    body,
    webhooks.signWebhook(body, secret),
    secret,
  ),
  'createDedupeStore(options)': ofSetup(webhooks, 'createDedupeStore', service),
  'createMemoryDedupeStore(options)': ofSetup(webhooks, 'createMemoryDedupeStore'),
  'signTestDelivery(options)': {
    ...ofCall(webhooks, 'signTestDelivery'),
    needed: { secret },
    later: { secret: 'a TypeError, as of each function that takes a secret' },
    content: ['data'],
    numbers: { timestamp: -1 },
  },
  'checkConformance(options)': {
    ...ofCall(conformance, 'checkConformance'),
    needed: {
      baseUrl: 'http://127.0.0.1:1/api',
      apiKey: 'key',
      'send.phone': phone,
      'send.templateId': 'a',
      'deliveries.provoke': () => {},
    },
  },
  'createReferenceServer(options)': { ...ofSetup(server, 'createReferenceServer'), ...ofSeed },
  'createTypedReferenceServer(options)': {
    ...ofSetup(server, 'createTypedReferenceServer', undefined),
    ...ofSeed,
  },
  'ReferenceServer.workspace(seed)': { ...ofSetup(reference, 'workspace'), ...ofSeed },
  'ReferenceServer.listen(options)': ofCall(reference, 'listen'),
  'keepOnFailure(options)': ofSetup(server, 'keepOnFailure', reference, () => {}),
  'Faults.add(rule)': {
    ...ofSetup(other.faults, 'add'),
    later: { delivery: 'beside an operation it is a mistake', 'fault.body': 'is any JSON' },
    needed: { operation: 'transactional.send', fault: { kind: 'status', status: 500 } },
    numbers: { probability: 0.5 },
    unknown: 'listed',
  },
  'Journal.follow(options)': ofCall(other.journal, 'follow'),
  'Journal.waitFor(options)': ofCall(other.journal, 'waitFor', 'send', undefined),
  'ManagedWebhooks.create(webhook)': {
    ...ofSetup(other.managedWebhooks, 'create'),
    needed: endpoint,
    unknown: 'listed',
  },
  'Simulation.inboundMessage(message)': {
    ...ofSetup(other.simulate, 'inboundMessage'),
    needed: { phone, body: 'Hello' },
    unknown: 'listed',
  },
  'TestContact.did(wanted)': { ...ofCall(other.contact(phone), 'did', 'signed_up'), content: ['properties'] },
  'TestContact.receives(wanted)': {
    ...ofCall(other.contact(phone), 'receives', 'welcome'),
    content: ['variables'],
  },
  'TestContact.receivesNothing(options)': ofCall(other.contact(phone), 'receivesNothing'),
  'WorkspaceContacts.list(filter)': ofCall(other.contacts, 'list'),
  'WorkspaceContacts.list(page)': ofCall(other.contacts, 'list', {}),
  'WorkspaceDeliveries.find(filter)': ofCall(other.deliveries, 'find'),
  'WorkspaceDeliveries.redeliver(options)': {
    ...ofCall(other.deliveries, 'redeliver', 'd1'),
    protections: ['ifFailed'],
  },
  'WorkspaceDeliveries.waitFor(filter)': ofCall(other.deliveries, 'waitFor'),
  'WorkspaceDeliveries.waitFor(options)': ofCall(other.deliveries, 'waitFor', {}),
  'WorkspaceDeliveries.check(side)': { ...ofSetup(other.deliveries, 'check', 'd1'), unknown: 'listed' },
  'WorkspaceEvents.find(filter)': ofCall(other.events, 'find'),
  'WorkspaceEvents.waitFor(filter)': ofCall(other.events, 'waitFor'),
  'WorkspaceEvents.waitFor(options)': ofCall(other.events, 'waitFor', {}),
  'WorkspaceSends.find(filter)': ofCall(other.sends, 'find'),
  'WorkspaceSends.waitFor(filter)': ofCall(other.sends, 'waitFor'),
  'WorkspaceSends.waitFor(options)': ofCall(other.sends, 'waitFor', {}),
  'WorkspaceListeners.attempts(options)': {
    ...ofCall(other.listeners, 'attempts', 'l1'),
    call: async (options) => {
      for await (const _ of other.listeners.attempts('l1', options)) break;
    },
  },
  'WorkspaceListeners.create(listener)': {
    ...ofSetup(other.listeners, 'create'),
    needed: { url: 'http://localhost:3000/hooks' },
    unknown: 'listed',
  },
  'WorkspaceQuota.set(quota)': { ...ofSetup(other.quota, 'set'), unknown: 'listed' },
  'WorkspaceTemplates.put(template)': {
    ...ofSetup(other.templates, 'put'),
    needed: { id: 'a', body: 'A' },
    unknown: 'listed',
  },
  'WorkspaceTemplates.update(changes)': { ...ofSetup(other.templates, 'update', 'a'), unknown: 'listed' },
  'mswHandlers(options)': { ...ofSetup(msw, 'mswHandlers', reference), needed: { baseUrl } },
  'postgresStore(options)': {
    ...ofSetup(postgres, 'postgresStore'),
    needed: { connectionString: 'postgres:///none' },
  },
  'workspaceFixtures(seed)': { ...ofSetup(fixtures, 'workspaceFixtures'), ...ofSeed },
  'workspaceFixtures(options)': { ...ofSetup(fixtures, 'workspaceFixtures', {}), ...ofSeed },
};

/** Parameters that are no options, although they can leave something out, each with the reason. */
export const noOptions: readonly (readonly [name: RegExp, reason: string])[] = [
  [/^new \w+Error\(facts\)$/, 'what an error shall say, for tests that throw one'],
  [/^DedupeStore\.|^UndiciTransport\./, 'what a receiver or a client passes, and no program'],
  [/^createRedisKeyValueStore\(client\)$/, 'a client: see the tests of stores'],
];

/** Closes what the ways have opened. */
export async function closeAll(): Promise<void> {
  await reference.close();
}
