import type { ReferenceServer, ReferenceWorkspace } from 'messaging-automation/server';
import { type Ask, askWith } from '../support/reference.js';
import { expectDocumented } from './document.js';

/** Asks the control surface of a workspace, by paths relative to `/control`. Each answer must be as the document has it. */
export function control(server: ReferenceServer, workspace?: Pick<ReferenceWorkspace, 'apiKey'>): Ask {
  const ask = askWith(server, workspace);
  return async (method, path, body, headers) => {
    const answer = await ask(method, `/../control${path}`, body, headers);
    await expectDocumented(server, method, `/control${path}`, answer);
    return answer;
  };
}

/** The list in an answer. */
export function dataOf(body: unknown): readonly unknown[] {
  const data: unknown = Reflect.get(Object(body), 'data');
  if (!Array.isArray(data)) throw new Error('The answer holds no list.');
  return data;
}
