import type { ConformanceDeliveries } from '../conformance/index.js';
import { rootOf } from './deployment-root.js';
import type { Terminal } from './terminal.js';

/** How a message can be had that the deployment must deliver. */
export type Provocation = 'control' | 'by-hand';

export const provocations: readonly Provocation[] = ['control', 'by-hand'];

/** Has a contact write to the workspace, by a reference server's control route or by the person at the terminal. */
export function provokeBy(
  how: Provocation,
  terminal: Terminal,
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
): ConformanceDeliveries['provoke'] {
  if (how === 'by-hand') {
    return ({ body }) => terminal.complain(`\nNow write this to the workspace, from a phone: ${body}\n`);
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
      throw new Error(`the control route, which a reference server has, answered ${response.status}`);
  };
}
