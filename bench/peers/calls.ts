import { MessagingAutomation } from '../../dist/index.js';

/** A library, ready to make its call again and again. */
export interface CallPeer {
  readonly name: string;
  call(): Promise<unknown>;
}

const apiKey = 'key_of_the_benchmark';
const contact = { phone: '+15551234567', properties: { firstName: 'Ada', visits: 3 } };

/** The libraries, bare fetch first. Each makes the smallest POST of its own service. */
export async function startCallPeers(origin: string): Promise<readonly CallPeer[]> {
  const url = `${origin}/api/v1/contacts`;
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
  };
  const bareFetch = async () => {
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(contact) });
    return response.json();
  };
  // Importing undici gives it to the global fetch as well, unless that one has been used before.
  await bareFetch();

  const { undiciTransport } = await import('../../dist/undici.js');
  const { default: ky } = await import('ky');
  const { Agent, request } = await import('undici');
  const { default: OpenAI } = await import('openai');
  const { default: Stripe } = await import('stripe');
  const { Resend } = await import('resend');
  const { LoopsClient } = await import('loops');
  const { Svix } = await import('svix');

  const messaging = new MessagingAutomation({ apiKey, baseUrl: `${origin}/api` });
  const transport = undiciTransport();
  const messagingOverUndici = new MessagingAutomation({ apiKey, baseUrl: `${origin}/api`, transport });
  const dispatcher = new Agent();
  const openai = new OpenAI({ apiKey, baseURL: `${origin}/v1` });
  const { hostname, port } = new URL(origin);
  const stripe = new Stripe(apiKey, { protocol: 'http', host: hostname, port: Number(port) });
  const resend = new Resend(apiKey, { baseUrl: origin });
  const loops = new LoopsClient(apiKey);
  loops.apiRoot = `${origin}/api/`;
  const svix = new Svix(apiKey, { serverUrl: origin });

  const peers: readonly CallPeer[] = [
    { name: 'bare fetch', call: bareFetch },
    { name: 'messaging-automation', call: () => messaging.contacts.upsert(contact) },
    { name: 'messaging-automation/undici', call: () => messagingOverUndici.contacts.upsert(contact) },
    {
      name: 'bare undici',
      async call() {
        const options = { dispatcher, method: 'POST', headers, body: JSON.stringify(contact) } as const;
        const response = await request(url, options);
        return response.body.json();
      },
    },
    { name: 'ky', call: () => ky.post(url, { json: contact, headers }).json() },
    { name: 'stripe', call: () => stripe.customers.create({ name: 'Ada', phone: contact.phone }) },
    {
      name: 'loops',
      call: () => loops.createContact({ email: 'ada@example.com', properties: { visits: 3 } }),
    },
    {
      name: 'resend',
      async call() {
        const email = { from: 'a@example.com', to: 'ada@example.com', subject: 'Hello', text: 'Ada' };
        const { error } = await resend.emails.send(email);
        if (error) throw new Error(error.message); // it does not throw by itself
      },
    },
    { name: 'openai', call: () => openai.moderations.create({ input: 'Hello, Ada' }) },
    {
      name: 'svix',
      call: () => svix.message.create('app_1', { eventType: 'contact.updated', payload: contact.properties }),
    },
  ];
  for (const { name, call } of peers) {
    await call().catch((cause: unknown) => {
      throw new Error(`${name} cannot make its call.`, { cause });
    });
  }
  return peers;
}
