import { type ControlOptions, controlSurfaceOf } from '../running-server/control-options.js';
import type { Terminal } from '../terminal/terminal.js';

/** Makes a contact write to a workspace of a running server. */
export async function simulateMessage(
  terminal: Terminal,
  body: { readonly phone: string; readonly body: string },
  options: ControlOptions & { readonly json: boolean },
): Promise<number> {
  const surface = controlSurfaceOf(terminal, options);
  const answer = await surface.ask('POST', '/control/inbound-messages', { body });
  const { contactId, messageId, consent }: Simulated = Object(answer);
  if (typeof messageId !== 'string') throw surface.missing();
  const change = consent === undefined ? '' : `, and is now ${consent}`;
  terminal.print(
    options.json ? surface.json(answer) : surface.shown(`${contactId} wrote ${messageId}${change}.`),
  );
  return 0;
}

interface Simulated {
  readonly contactId?: unknown;
  readonly messageId?: unknown;
  readonly consent?: unknown;
}
