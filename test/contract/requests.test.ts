import { MessagingAutomation } from 'messaging-automation';
import { expect, test } from 'vitest';
import { operationCases } from '../operations/cases.js';
import { madeUp, type OperationCase } from '../operations/operation-case.js';

test('§4 paths are relative to the base URL, which carries /api, and are those of its endpoints', async () => {
  for (const [, operationCase] of operationCases) {
    const [method] = operationCase.endpoint.split(' ');
    const sent = await requestOf(operationCase);
    expect(`${sent.method} ${sent.url}`).toBe(
      `${method} https://api.example.test/api${operationCase.sends(madeUp).path}`,
    );
  }
});

test('§4 all request bodies are JSON, sent with Content-Type: application/json', async () => {
  for (const [name, operationCase] of operationCases) {
    const { body } = operationCase.sends(madeUp);
    const { headers, text } = await requestOf(operationCase);
    expect(text === '' ? undefined : JSON.parse(text), name).toEqual(body);
    expect(headers.get('content-type'), name).toBe(body === undefined ? null : 'application/json');
  }
});

test('§5 every request carries Authorization: Bearer <API_KEY>', async () => {
  for (const [name, operationCase] of operationCases) {
    const { headers } = await requestOf(operationCase);
    expect(headers.get('authorization'), name).toBe('Bearer key_of_the_workspace');
  }
});

/** What goes out for a call of the SDK. */
async function requestOf({ call, response }: OperationCase) {
  const sent: Request[] = [];
  const messaging = new MessagingAutomation({
    apiKey: 'key_of_the_workspace',
    baseUrl: 'https://api.example.test/api',
    fetch: async (url, init) => {
      sent.push(new Request(url, init));
      return response === undefined ? new Response(null, { status: 204 }) : Response.json(response);
    },
  });
  await call(messaging, madeUp);
  const [request, ...others] = sent;
  if (request === undefined || others.length > 0) throw new Error('It is not one request.');
  const { method, url, headers } = request;
  return { method, url, headers, text: await request.text() };
}
