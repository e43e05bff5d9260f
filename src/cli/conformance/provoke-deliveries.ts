import type { ConformanceDeliveries } from '../../conformance/index.js';
import { rootOf } from '../running-server/deployment-root.js';
import type { Terminal } from '../terminal/terminal.js';

/** How to make a contact write a message that the deployment must deliver. */
export type Provocation = 'control' | 'by-hand';

export const provocations: readonly Provocation[] = ['control', 'by-hand'];

/** Makes a contact write to the workspace: through the control surface, or by asking the user. */
export function provokeBy(
  how: Provocation,
  terminal: Terminal,
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
): ConformanceDeliveries['provoke'] {
  if (how === 'by-hand') {
    return ({ body }) => terminal.complain(`\nNow send this text to the workspace from a phone: ${body}\n`);
  }
  const url = `${rootOf(baseUrl)}/control/inbound-messages`;
  return async (message) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(message),
    });
    await response.body?.cancel();
    if (!response.ok)
      throw new Error(`the control surface of the reference server answered ${response.status}`);
  };
}
