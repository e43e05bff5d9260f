import { setTimeout as wait } from 'node:timers/promises';
import { MessagingAutomation } from 'messaging-automation';
import { askControl, failureOf } from '../control.js';

const phone = '+15550187001';
/** How long the waits have to begin before the event, in milliseconds. One that begins later finds the event at once. */
const timeToBegin = 1_000;
/** How long a notice may take on a busy machine. In milliseconds. */
const timeout = 20_000;

/** Tracks an event by the first replica while a request waits for it at each, and returns which replicas are not told of it. */
export async function problemsWithNotices(
  apiKey: string,
  origins: readonly string[],
): Promise<readonly string[]> {
  const [first = ''] = origins;
  const workspace = { workspaceId: 'workspace_of_notices', apiKey: 'key_of_notices' };
  const body = { ...workspace, contacts: [{ phone }] };
  await askControl(first, apiKey, 'POST', 'workspaces', { body });
  const waits = origins.map(async (origin): Promise<readonly string[]> => {
    // At the end of its wait, the server would look once more.
    const asked = askControl(origin, workspace.apiKey, 'GET', 'events?event=told&wait=60s', { timeout });
    const failure = await asked.then(() => undefined, failureOf);
    return failure === undefined
      ? []
      : [`${origin} is not told of an event of another replica: ${failure.message}`];
  });
  await wait(timeToBegin);
  const client = new MessagingAutomation({ apiKey: workspace.apiKey, baseUrl: `${first}/api` });
  await client.events.track({ event: 'told', phone });
  return (await Promise.all(waits)).flat();
}
