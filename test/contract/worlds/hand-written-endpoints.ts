import { randomBytes } from 'node:crypto';
import { getResponse, HttpResponse, http, type RequestHandler } from 'msw';
import type { HandWrittenState, Value } from './hand-written-state.js';

type Properties = Record<string, Value>;

/** Document §5, then §4: the key opens a workspace, and the workspace answers. */
export function handWrittenService(
  baseUrl: string,
  workspaces: ReadonlyMap<string, HandWrittenState>,
): RequestHandler {
  return http.all(`${baseUrl}/*`, ({ request }) => {
    const [scheme, key = ''] = request.headers.get('authorization')?.split(' ') ?? [];
    const workspace = workspaces.get(key);
    // What a missing key gives is not shown; here a bare 403.
    if (scheme !== 'Bearer' || !workspace) return refuse(403);
    const sendsBody = request.method === 'POST' || request.method === 'PUT';
    if (sendsBody && request.headers.get('content-type') !== 'application/json') return refuse(415);
    return getResponse(endpoints(baseUrl, workspace), request);
  });
}

/** Document §4, endpoint by endpoint. */
function endpoints(baseUrl: string, state: HandWrittenState): RequestHandler[] {
  const { contacts, subscriptions, templates } = state;

  return [
    http.post<never, { phone: string; properties?: Properties }>(
      `${baseUrl}/v1/contacts`,
      async ({ request }) => {
        const { phone, properties } = await request.json();
        const existing = state.contactWithPhone(phone);
        if (existing) {
          Object.assign(existing.properties, properties);
          return HttpResponse.json(existing, { status: 200 });
        }
        const contact = { id: state.newId('contact'), properties: { ...properties, phone } };
        contacts.set(contact.id, contact);
        return HttpResponse.json(contact, { status: 201 });
      },
    ),

    http.get(`${baseUrl}/v1/contacts/find`, ({ request }) => {
      const contact = state.contactWithPhone(new URL(request.url).searchParams.get('phone'));
      return contact ? HttpResponse.json({ contact }) : refuse(404);
    }),

    http.get<{ id: string }>(`${baseUrl}/v1/contacts/:id`, ({ params }) => {
      const contact = contacts.get(params.id);
      return contact ? HttpResponse.json({ data: contact }) : refuse(404);
    }),

    http.put<{ id: string }, { properties: Properties }>(
      `${baseUrl}/v1/contacts/:id`,
      async ({ params, request }) => {
        const contact = contacts.get(params.id);
        if (!contact) return refuse(404);
        Object.assign(contact.properties, (await request.json()).properties);
        return new HttpResponse(null, { status: 204 });
      },
    ),

    http.delete<{ id: string }>(`${baseUrl}/v1/contacts/:id`, ({ params }) =>
      contacts.delete(params.id) ? new HttpResponse(null, { status: 204 }) : refuse(404),
    ),

    http.post<never, { phone: string; templateId: string; variables?: Record<string, string> }>(
      `${baseUrl}/v1/transactional`,
      async ({ request }) => {
        const { phone, templateId, variables = {} } = await request.json();
        if (!state.contactWithPhone(phone)) return refuse(404, 'not_found');
        if (state.conversationsLeft === 0) return refuse(402, 'quota_exceeded');
        const template = templates.find(({ id }) => id === templateId);
        const filled = template?.placeholders.every((key) => typeof variables[key] === 'string');
        const providerIssue = phone === '+15005550102';
        if (providerIssue || !template?.approved || !filled) return refuse(422, 'send_failed');
        state.conversationsLeft -= 1;
        return HttpResponse.json({ success: true }, { status: 200 });
      },
    ),

    http.post<never, { event: string; contactId?: string; phone?: string }>(
      `${baseUrl}/v1/events`,
      async ({ request }) => {
        const { contactId, phone } = await request.json();
        const contact = contactId === undefined ? state.contactWithPhone(phone) : contacts.get(contactId);
        return contact ? HttpResponse.json({ accepted: true }, { status: 202 }) : refuse(404);
      },
    ),

    http.post<never, { url: string; events: string[] }>(`${baseUrl}/v1/webhooks`, async ({ request }) => {
      const { url, events } = await request.json();
      const subscription = {
        id: state.newId('subscription'),
        url,
        events,
        secret: `whsec_${randomBytes(24).toString('base64url')}`,
        enabled: true,
        createdAt: Date.now(),
      };
      subscriptions.set(subscription.id, subscription);
      return HttpResponse.json(subscription, { status: 201 });
    }),

    http.get(`${baseUrl}/v1/webhooks`, () => HttpResponse.json([...subscriptions.values()])),

    http.delete<{ id: string }>(`${baseUrl}/v1/webhooks/:id`, ({ params }) =>
      subscriptions.delete(params.id) ? new HttpResponse(null, { status: 204 }) : refuse(404),
    ),

    http.get(`${baseUrl}/v1/templates`, () => HttpResponse.json(templates)),
  ];
}

/** §7 shows statuses and three codes, not the body; here the code stands at its top, where one is shown. */
function refuse(status: number, code?: string): HttpResponse<{ code: string } | null> {
  return code === undefined ? new HttpResponse(null, { status }) : HttpResponse.json({ code }, { status });
}
