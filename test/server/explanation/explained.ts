import type { DeliveryExplanation, ReferenceServer } from 'messaging-automation/server';
import { expect } from 'vitest';
import { control } from '../control-routes/support.js';
import { field, phone } from '../support/reference.js';

/** A contact writes, its only delivery is attempted, and the server explains it, over HTTP. */
export async function explained(server: ReferenceServer, body = 'Hello'): Promise<object> {
  await server.simulate.inboundMessage({ phone, body });
  await server.settled();
  return explanationOf(server);
}

/** What the server says of its last delivery, over HTTP: the same as in a program. */
export async function explanationOf(server: ReferenceServer): Promise<object> {
  const id = (await server.journal.deliveries()).at(-1)?.id ?? '';
  const { status, body } = await control(server)('GET', `/deliveries/${id}/explanation`);
  expect(status).toBe(200);
  // Where the attempt does not tell the machine's time, it is that of the question.
  const clocks = { ...Object(field(body, 'clocks')), machine: expect.any(Number) };
  expect(await server.deliveries.explain(id)).toEqual({ ...Object(body), clocks });
  return Object(body);
}

export function causesIn(explanation: object): DeliveryExplanation['causes'] {
  const causes = field(explanation, 'causes');
  return Array.isArray(causes) ? causes : [];
}

/** The causes with how certain each is, such as `wrong_secret likely`. */
export function namesIn(explanation: object): readonly string[] {
  return causesIn(explanation).map(({ cause, certainty }) => `${cause} ${certainty}`);
}
