import type {
  ReferenceServer,
  ReferenceServerOptions,
  ReferenceWorkspace,
} from 'messaging-automation/server';
import { expect } from 'vitest';
import { type DescribedOperation, documentOf, operationsIn } from '../support/openapi.js';
import { type Ask, askWith, startServer } from '../support/reference.js';

/** What the document of all servers says, what has no parameter before what has one. */
let known: Promise<readonly DescribedOperation[]> | undefined;

/** The operations of the control surface, as its document has them. */
export async function controlOperations(server: ReferenceServer): Promise<readonly DescribedOperation[]> {
  known ??= documentOf(server, '/control/openapi.json').then(operationsIn);
  return (await known).toSorted((one, other) => one.path.split('{').length - other.path.split('{').length);
}

const patternOf = (template: string) =>
  new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);

/** Asks the control surface of a workspace, by paths relative to `/control`. Each response must be as the document has it. */
export function control(server: ReferenceServer, workspace?: Pick<ReferenceWorkspace, 'apiKey'>): Ask {
  const ask = askWith(server, workspace);
  return async (method, path, body, headers) => {
    const response = await ask(method, `/../control${path}`, body, headers);
    const [asked = ''] = `/control${path}`.split('?');
    const operation = (await controlOperations(server)).find(
      (each) => each.method === method && patternOf(each.path).test(asked),
    );
    if (operation !== undefined)
      expect([method, path, operation.differences(response)]).toEqual([method, path, []]);
    return response;
  };
}

/** A reference server for one test, and a way to ask its control surface. */
export function startWithControl(options: ReferenceServerOptions = {}) {
  const server = startServer(options);
  return { server, ask: control(server) };
}

/** The list in a response. */
export function dataOf(body: unknown): readonly unknown[] {
  const data: unknown = Reflect.get(Object(body), 'data');
  if (!Array.isArray(data)) throw new Error('The response holds no list.');
  return data;
}
