// A strict TypeScript program against the types that the package ships.
import {
  type Contact,
  defineWorkspace,
  MessagingAutomation,
  NotFoundError,
  QuotaExceededError,
  verifyWebhook,
} from 'messaging-automation';
import { type ConformanceReport, checkConformance } from 'messaging-automation/conformance';
import {
  createReferenceServer,
  createTypedReferenceServer,
  type ReferenceServer,
} from 'messaging-automation/server';
import { unwrapWebhook, type WebhookEvent } from 'messaging-automation/webhooks';

const messaging = new MessagingAutomation({ apiKey: 'key', baseUrl: 'http://127.0.0.1:1/api' });

export async function greet(phone: string): Promise<string | undefined> {
  const contact: Contact | null = await messaging.contacts.find(phone);
  if (contact === null) return undefined;
  try {
    await messaging.transactional.send({ phone, templateId: 'order_update', variables: { '1': 'Ada' } });
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof QuotaExceededError) return error.message;
    throw error;
  }
  // @ts-expect-error -- an event is of one contact, named once
  await messaging.events.track({ event: 'order_placed', phone, contactId: contact.id });
  return contact.id;
}

export function receive(body: Uint8Array, signature: string, secret: string): string {
  const verified: boolean = verifyWebhook(body, signature, secret);
  if (!verified) return 'refused';
  const event: WebhookEvent = unwrapWebhook(body, signature, secret);
  return event.event === 'message.received' ? event.data.phone : event.event;
}

export async function withServer(): Promise<string> {
  await using server = createReferenceServer({ quota: 1 });
  const { baseUrl } = await server.listen({ port: 0 });
  return baseUrl;
}

const workspace = defineWorkspace({ templates: { welcome: { id: 'welcome_2', variables: ['firstName'] } } });

export function typedClients(
  server: ReferenceServer<typeof workspace> = createTypedReferenceServer(workspace, { quota: 1 }),
): readonly MessagingAutomation<typeof workspace>[] {
  const unbound = new MessagingAutomation({ fetch: server.fetch, apiKey: server.apiKey });
  const plain: MessagingAutomation = server.client.withOptions({ workspace: null });
  // @ts-expect-error -- a template that the workspace does not have
  void server.client.transactional.send({ phone: '', template: 'welcom', variables: { firstName: 'Ada' } });
  return [
    server.client,
    server.workspace().client,
    server.client.withOptions({ timeout: 1 }),
    unbound.withOptions({ workspace }),
    plain.withOptions({ workspace }),
  ];
}

export async function brokenStatements(baseUrl: string, apiKey: string): Promise<readonly string[]> {
  const { checks }: ConformanceReport = await checkConformance({ baseUrl, apiKey, events: false });
  return checks.flatMap(({ verdict, statement }) => (verdict === 'broken' ? [statement] : []));
}
