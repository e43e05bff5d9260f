import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { answerQuestions, usedCpu } from '../../measure/other-process.js';

interface Contact {
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The same upsert, without asking for a key or checking anything. */
const contacts = new Map<string, Contact>();
const application = new Hono().post('/api/v1/contacts', async (context) => {
  const { phone, properties } = await context.req.json();
  const existing = contacts.get(phone);
  const contact: Contact = existing
    ? { ...existing, properties: { ...existing.properties, ...properties } }
    : { id: `contact_${crypto.randomUUID()}`, properties: { phone, ...properties } };
  contacts.set(phone, contact);
  return context.json(contact, existing ? 200 : 201);
});

serve({ fetch: application.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  answerQuestions({ port }, { cpu: () => ({ cpu: usedCpu() }) }),
);
