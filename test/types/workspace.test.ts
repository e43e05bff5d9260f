import {
  type CallPromise,
  type ClientOptions,
  type Contact,
  defineWorkspace,
  type InferContact,
  type InferEvents,
  type InferProperties,
  type InferSendInput,
  type InferTemplates,
  type InferTrackInput,
  MessagingAutomation,
  type SendInput,
  type TrackInput,
  type UpdateContactInput,
  type UpsertContactInput,
  type Workspace,
} from 'messaging-automation';
import {
  createReferenceServer,
  createTypedReferenceServer,
  type ReferenceServer,
  type ReferenceWorkspace,
  type TestContact,
} from 'messaging-automation/server';
import { type WorkspaceFixtures, workspaceFixtures } from 'messaging-automation/vitest';
import { test as base, describe, expectTypeOf, test } from 'vitest';
import * as z from 'zod';

const workspace = defineWorkspace({
  properties: {
    firstName: z.string(),
    visits: z.coerce.number<string | number>(),
    city: z.string().optional(),
    joinedAt: z.union([z.iso.datetime(), z.date().transform((date) => date.toISOString())]),
  },
  events: {
    order_placed: z.object({ orderId: z.string(), currency: z.string().default('EUR') }),
    page_viewed: z.object({ path: z.string().optional() }),
    cart_emptied: z.object({}),
  },
  templates: {
    orderUpdate: { id: 'order_update', variables: ['firstName', 'orderNumber'] },
    welcome: { id: 'welcome_2' },
  },
});
const messaging = new MessagingAutomation({ apiKey: 'key', baseUrl: 'http://127.0.0.1:9/api', workspace });
const { contacts, events, transactional } = messaging;
const phone = '+15551234567';
const properties = { orderId: 'A-1001' };
const variables = { firstName: 'Ada', orderNumber: 'A-1001' };

/** Compiled, never run: what matters is whether it compiles. */
function compiled(_calls: () => readonly unknown[]): void {}

describe('properties of contacts', () => {
  test('have names and types, and none must be given', () => {
    compiled(() => [
      contacts.upsert({ phone }),
      contacts.upsert({ phone, properties: {} }),
      contacts.upsert({ phone, properties: { firstName: 'Ada', visits: 3, city: 'London' } }),
      contacts.update('c1', { properties: { visits: '4' } }),
      contacts.upsertMany([{ phone, properties: { firstName: 'Ada' } }]),
      // @ts-expect-error misspelt in bulk
      contacts.upsertMany([{ phone, properties: { fristName: 'Ada' } }]),
      // @ts-expect-error of another type in an update
      contacts.update('c1', { properties: { visits: true } }),
      // @ts-expect-error null
      contacts.upsert({ phone, properties: { city: null } }),
      // @ts-expect-error no phone
      contacts.upsert({ properties: {} }),
      // @ts-expect-error no properties in an update
      contacts.update('c1', {}),
    ]);
  });

  test('are given as their schemas take them, and come as their schemas give them', () => {
    type Given = NonNullable<NonNullable<Parameters<typeof contacts.upsert>[0]>['properties']>;
    type Read = Awaited<ReturnType<typeof contacts.get>>['properties'];

    expectTypeOf<Given>().toEqualTypeOf<{
      readonly firstName?: string | undefined;
      readonly visits?: string | number | undefined;
      readonly city?: string | undefined;
      readonly joinedAt?: string | Date | undefined;
    }>();
    expectTypeOf<Read['firstName']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Read['visits']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Read['city']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Read['joinedAt']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Read['phone']>().toEqualTypeOf<string | undefined>();
  });

  test('come with every contact', () => {
    type Ours = InferContact<typeof messaging>;

    expectTypeOf(contacts.upsert).returns.toEqualTypeOf<CallPromise<Ours>>();
    expectTypeOf(contacts.get).returns.resolves.toEqualTypeOf<Ours>();
    expectTypeOf(contacts.find).returns.resolves.toEqualTypeOf<Ours | null>();
    expectTypeOf(contacts.update).returns.resolves.toEqualTypeOf<Ours | undefined>();
    expectTypeOf(contacts.delete).returns.resolves.toEqualTypeOf<void>();
    expectTypeOf<Ours>().toExtend<Contact>();
    expectTypeOf<Ours['score']>().toEqualTypeOf<unknown>();
    compiled(() => {
      const contact: Ours = { id: 'c1', properties: {} };
      return [
        // @ts-expect-error it may be absent
        contact.properties.firstName.length,
      ];
    });
  });
});

describe('events', () => {
  test('have names, and properties of their own', () => {
    compiled(() => [
      events.track({ event: 'order_placed', phone, properties }),
      events.track({ event: 'order_placed', phone, properties: { ...properties, currency: 'GBP' } }),
      // @ts-expect-error not one of the workspace
      events.track({ event: 'signed_up', phone }),
      // @ts-expect-error without them
      events.track({ event: 'order_placed', phone }),
      // @ts-expect-error one is missing
      events.track({ event: 'order_placed', phone, properties: {} }),
      // @ts-expect-error one is of another type
      events.track({ event: 'order_placed', phone, properties: { orderId: 7 } }),
      // @ts-expect-error one is of another event
      events.track({ event: 'order_placed', phone, properties: { ...properties, path: '/' } }),
    ]);
  });

  test('need no properties where an empty object would do', () => {
    compiled(() => [
      events.track({ event: 'page_viewed', phone }),
      events.track({ event: 'page_viewed', phone, properties: { path: '/' } }),
      events.track({ event: 'cart_emptied', phone }),
      // @ts-expect-error it has none
      events.track({ event: 'cart_emptied', phone, properties }),
    ]);
  });

  test('name their contact by contactId or by phone', () => {
    compiled(() => [
      events.track({ event: 'order_placed', contactId: 'c1', properties }),
      // @ts-expect-error both
      events.track({ event: 'order_placed', contactId: 'c1', phone, properties }),
      // @ts-expect-error neither
      events.track({ event: 'order_placed', properties }),
      // @ts-expect-error both, of an event without properties
      events.track({ event: 'cart_emptied', contactId: 'c1', phone }),
      // @ts-expect-error neither, of an event without properties
      events.track({ event: 'cart_emptied' }),
    ]);
  });
});

describe('templates', () => {
  test('have names, and variables of their own', () => {
    compiled(() => [
      transactional.send({ phone, template: 'orderUpdate', variables }),
      transactional.send({ phone, template: 'welcome' }),
      transactional.sendMany([
        { phone, template: 'orderUpdate', variables },
        { phone, template: 'welcome' },
      ]),
      // @ts-expect-error misspelt in bulk
      transactional.sendMany([{ phone, template: 'ordrUpdate', variables }]),
      // @ts-expect-error its id instead of its name
      transactional.send({ phone, template: 'order_update', variables }),
      // @ts-expect-error without variables
      transactional.send({ phone, template: 'orderUpdate' }),
      // @ts-expect-error one too many
      transactional.send({ phone, template: 'orderUpdate', variables: { ...variables, total: '42' } }),
      // @ts-expect-error misspelt
      transactional.send({ phone, template: 'orderUpdate', variables: { fristName: '', orderNumber: '' } }),
      // @ts-expect-error by number instead of by name
      transactional.send({ phone, template: 'orderUpdate', variables: { '1': 'Ada', '2': 'A-1001' } }),
      // @ts-expect-error a number
      transactional.send({ phone, template: 'orderUpdate', variables: { firstName: '', orderNumber: 7 } }),
      // @ts-expect-error it has none
      transactional.send({ phone, template: 'welcome', variables: { firstName: 'Ada' } }),
      // @ts-expect-error no phone
      transactional.send({ template: 'welcome' }),
    ]);
  });

  test('can be sent by id as well, but not by both', () => {
    compiled(() => [
      transactional.send({ phone, templateId: 'order_update', variables: { '1': 'Ada' } }),
      // @ts-expect-error both
      transactional.send({ phone, template: 'welcome', templateId: 'welcome_2' }),
      // @ts-expect-error neither
      transactional.send({ phone }),
    ]);
  });
});

describe('a definition', () => {
  test('has schemas whose values the service takes', () => {
    compiled(() => [
      // @ts-expect-error null is no property value
      defineWorkspace({ properties: { city: z.string().nullable() } }),
      // @ts-expect-error nor is an object
      defineWorkspace({ properties: { address: z.object({ city: z.string() }) } }),
      // @ts-expect-error nor is what a transformation makes a date
      defineWorkspace({ properties: { joinedAt: z.string().transform((text) => new Date(text)) } }),
      // @ts-expect-error the properties of an event are an object
      defineWorkspace({ events: { order_placed: z.string() } }),
      // @ts-expect-error a type is no schema
      defineWorkspace({ properties: { city: 'string' } }),
    ]);
  });

  test('has templates with an id', () => {
    compiled(() => [
      // @ts-expect-error no id
      defineWorkspace({ templates: { welcome: { variables: ['firstName'] } } }),
      // @ts-expect-error misspelt
      defineWorkspace({ templtes: { welcome: { id: 'welcome_2' } } }),
    ]);
  });

  test('leaves free what it leaves out', () => {
    const sole = defineWorkspace({ properties: { firstName: z.string() } });

    expectTypeOf<InferTrackInput<typeof sole>>().toEqualTypeOf<TrackInput>();
    expectTypeOf<InferSendInput<typeof sole>>().toEqualTypeOf<SendInput>();
    expectTypeOf<InferContact<Workspace<{ events: Record<never, never> }>>>().toEqualTypeOf<Contact>();
  });

  test('is what the client takes, and nothing else', () => {
    compiled(() => [
      // @ts-expect-error not defined
      new MessagingAutomation({ workspace: { properties: {} } }),
    ]);
  });
});

test('a function may take the clients of any workspace', () => {
  const countTemplates = async <W extends Workspace>(client: MessagingAutomation<W>) =>
    (await client.templates.list()).length;

  compiled(() => [
    countTemplates(messaging),
    countTemplates(new MessagingAutomation()),
    // @ts-expect-error a client that knows its workspace does not take every name
    ((client: MessagingAutomation) => client.events.track({ event: 'x', phone }))(messaging),
  ]);
});

test('without a workspace everything is as the service has it', () => {
  const plain = new MessagingAutomation({ apiKey: 'key', baseUrl: 'http://127.0.0.1:9/api' });

  expectTypeOf(plain).toEqualTypeOf<MessagingAutomation<Workspace>>();
  expectTypeOf(plain.contacts.upsert).parameter(0).toEqualTypeOf<UpsertContactInput>();
  expectTypeOf(plain.contacts.update).parameter(1).toEqualTypeOf<UpdateContactInput>();
  expectTypeOf<InferContact<typeof plain>>().toEqualTypeOf<Contact>();
  expectTypeOf(plain.contacts.get).returns.resolves.toEqualTypeOf<Contact>();
  expectTypeOf(plain.events.track).parameter(0).toEqualTypeOf<TrackInput>();
  expectTypeOf(plain.transactional.send).parameter(0).toEqualTypeOf<SendInput>();
});

describe('withOptions', () => {
  const plain = new MessagingAutomation({ apiKey: 'key', baseUrl: 'http://127.0.0.1:9/api' });
  const another = defineWorkspace({ events: { signed_up: z.object({ plan: z.string() }) } });
  const options: ClientOptions = { timeout: 5 };

  test('gives the types of the workspace that it takes, and keeps them without one', () => {
    expectTypeOf(plain.withOptions({ workspace })).toEqualTypeOf<typeof messaging>();
    expectTypeOf(messaging.withOptions({ timeout: 5 })).toEqualTypeOf<typeof messaging>();
    expectTypeOf(messaging.withOptions({})).toEqualTypeOf<typeof messaging>();
    expectTypeOf(messaging.withOptions({ workspace: another, timeout: 5 })).toEqualTypeOf<
      MessagingAutomation<typeof another>
    >();
    expectTypeOf(messaging.withOptions({ workspace: null })).toEqualTypeOf<MessagingAutomation>();
    expectTypeOf(plain.withOptions(options)).toEqualTypeOf<MessagingAutomation>();
  });

  test('takes no options that may hold another workspace', () => {
    compiled(() => [
      // @ts-expect-error not defined
      plain.withOptions({ workspace: { properties: {} } }),
      // @ts-expect-error the compiler does not know which workspace they hold
      messaging.withOptions(options),
    ]);
  });
});

describe('a reference server', () => {
  test('has clients with the types of its workspace', () => {
    compiled(() => {
      const server = createTypedReferenceServer(workspace, { clock: 'frozen' });
      expectTypeOf(server).toEqualTypeOf<ReferenceServer<typeof workspace>>();
      expectTypeOf(server.client).toEqualTypeOf<typeof messaging>();
      expectTypeOf(server.workspace({ quota: 1 })).toEqualTypeOf<ReferenceWorkspace<typeof workspace>>();
      expectTypeOf(server.workspace().client).toEqualTypeOf<typeof messaging>();
      return [
        // @ts-expect-error not defined
        createTypedReferenceServer({ properties: {} }),
      ];
    });
  });

  test('has contacts with the names and types of its workspace', () => {
    compiled(() => {
      const server = createTypedReferenceServer(workspace, { clock: 'frozen' });
      const ada = server.contact(phone);
      expectTypeOf(server.workspace().contact(phone)).toEqualTypeOf<typeof ada>();
      const update = ada.receives('orderUpdate', { variables: { firstName: 'Ada' } });
      expectTypeOf(update).resolves.toHaveProperty('template').toEqualTypeOf<'orderUpdate'>();
      expectTypeOf(update).resolves.toHaveProperty('variables').toEqualTypeOf<{
        readonly firstName: string;
        readonly orderNumber: string;
      }>();
      const placed = ada.did('order_placed', { properties: { currency: 'EUR' } });
      expectTypeOf(placed)
        .resolves.toHaveProperty('properties')
        .toEqualTypeOf<{ orderId: string; currency: string }>();
      return [
        ada.receives('welcome', { text: /Ada/ }),
        // @ts-expect-error no such template
        ada.receives('order_update'),
        // @ts-expect-error no such variable
        ada.receives('orderUpdate', { variables: { fristName: 'Ada' } }),
        // @ts-expect-error a variable is a text
        ada.receives('orderUpdate', { variables: { firstName: 5 } }),
        // @ts-expect-error no such event
        ada.did('order_place'),
        // @ts-expect-error of another type
        ada.did('order_placed', { properties: { orderId: 5 } }),
      ];
    });
  });

  test('has contacts that take every name without one', () => {
    compiled(() => {
      const ada: TestContact = createReferenceServer().contact(phone);
      const welcome = ada.receives('welcome', { variables: { '1': 'Ada' } });
      expectTypeOf(welcome).resolves.toHaveProperty('template').toEqualTypeOf<'welcome'>();
      const { contact } = createTypedReferenceServer(defineWorkspace({ events: {} }), {});
      return [
        ada.did('signed_up', { properties: { plan: 'basic', nested: { one: 1 } } }),
        contact(phone).receives('anything'),
        // @ts-expect-error the template is required
        ada.receives({ text: 'Hello' }),
      ];
    });
  });

  test('has plain clients without one', () => {
    compiled(() => {
      const server: ReferenceServer = createReferenceServer({ quota: 1 });
      expectTypeOf(createReferenceServer()).toEqualTypeOf<ReferenceServer>();
      expectTypeOf(server.client).toEqualTypeOf<MessagingAutomation>();
      expectTypeOf(server.workspace().client).toEqualTypeOf<MessagingAutomation>();
      return [];
    });
  });

  test('has a fetch that takes what fetch takes', () => {
    compiled(() => {
      const { fetch } = createReferenceServer();
      const likeTheGlobal: typeof globalThis.fetch = fetch;
      return [fetch('http://localhost/api'), likeTheGlobal, new MessagingAutomation({ fetch })];
    });
  });

  test('has fixtures with the types of its workspace', () => {
    compiled(() => {
      const typed = base.extend<WorkspaceFixtures<typeof workspace>>(workspaceFixtures({}, { workspace }));
      const untyped = base.extend<WorkspaceFixtures>(workspaceFixtures());
      typed('typed', ({ messaging: ours, workspace: { client } }) => {
        expectTypeOf(ours).toEqualTypeOf<typeof messaging>();
        expectTypeOf(client).toEqualTypeOf<typeof messaging>();
      });
      untyped('plain', ({ messaging: ours }) => expectTypeOf(ours).toEqualTypeOf<MessagingAutomation>());
      return [];
    });
  });
});

describe('the Infer types', () => {
  test('look into a client and into a workspace alike', () => {
    expectTypeOf<InferContact<typeof workspace>>().toEqualTypeOf<InferContact<typeof messaging>>();
    expectTypeOf<InferProperties<typeof workspace>>().toEqualTypeOf<InferProperties<typeof messaging>>();
    expectTypeOf<InferEvents<typeof workspace>>().toEqualTypeOf<InferEvents<typeof messaging>>();
    expectTypeOf<InferTemplates<typeof workspace>>().toEqualTypeOf<InferTemplates<typeof messaging>>();
    expectTypeOf<InferTrackInput<typeof workspace>>().toEqualTypeOf<InferTrackInput<typeof messaging>>();
    expectTypeOf<InferSendInput<typeof workspace>>().toEqualTypeOf<InferSendInput<typeof messaging>>();
    compiled(() => {
      const annotated: MessagingAutomation<typeof workspace> = messaging;
      // @ts-expect-error neither of them
      type Neither = InferContact<string>;
      const neither: Neither | undefined = undefined;
      return [annotated, neither];
    });
  });

  test('say what goes in', () => {
    expectTypeOf<InferEvents<typeof messaging>>().toEqualTypeOf<{
      readonly order_placed: { orderId: string; currency?: string | undefined };
      readonly page_viewed: { path?: string | undefined };
      readonly cart_emptied: Record<string, never>;
    }>();
    expectTypeOf<InferTemplates<typeof messaging>['orderUpdate']>().toEqualTypeOf<{
      readonly firstName: string;
      readonly orderNumber: string;
    }>();
    expectTypeOf<keyof InferTemplates<typeof messaging>>().toEqualTypeOf<'orderUpdate' | 'welcome'>();
    expectTypeOf(events.track).parameter(0).toEqualTypeOf<InferTrackInput<typeof messaging>>();
    expectTypeOf(transactional.send).parameter(0).toEqualTypeOf<InferSendInput<typeof messaging>>();
  });
});
