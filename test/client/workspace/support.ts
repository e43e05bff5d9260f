import type { StandardResult, StandardSchema } from 'messaging-automation';
import { createReferenceServer, type ReferenceServer } from 'messaging-automation/server';
import { onTestFinished } from 'vitest';

/** The reference server on a socket, with one approved template, until the test has finished. */
export async function startReferenceServer(): Promise<{ server: ReferenceServer; baseUrl: string }> {
  const server = createReferenceServer({
    templates: [
      { id: 'order_update', status: 'approved', body: 'Hello {{1}}, your order {{2}} is on its way.' },
    ],
  });
  onTestFinished(() => server.close());
  const { baseUrl } = await server.listen({ port: 0 });
  return { server, baseUrl };
}

/** A schema of no library: what follows the specification is enough. */
export function schemaOf<Output>(
  validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>,
): StandardSchema<unknown, Output> {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

/** What a program without types may pass. */
export function untyped<T>(value: unknown): T {
  return value as T;
}
