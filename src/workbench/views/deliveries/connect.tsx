import { Copy } from '../../elements/copy.js';
import { opening } from '../../surface/key.js';

/** Forwards the deliveries to a receiver on the machine of the person. */
const listenCommand = 'npx messaging-automation listen --forward-to http://localhost:3000/webhooks';

/** The lines that tell a program on this machine where the server is, and its key. The page shows them without the key. */
function environment(key: string): string {
  return [
    `export MESSAGING_AUTOMATION_BASE_URL=${window.location.origin}/api`,
    `export MESSAGING_AUTOMATION_API_KEY=${key}`,
  ].join('\n');
}

/** The same with the key, for a terminal. */
function environmentWithKey(): string {
  const { key = '' } = opening.peek() ?? {};
  return environment(`'${key.replaceAll("'", "'\\''")}'`);
}

/** How an application of one's own reaches the server. */
export function ConnectApplication() {
  return (
    <>
      <p>Tell it the server and the key, in its terminal:</p>
      <pre>{environment('…')}</pre>
      <Copy text={environmentWithKey()}>Copy the lines with the key</Copy>
    </>
  );
}

/** How the deliveries reach a receiver of one's own. */
export function ForwardDeliveries() {
  return (
    <>
      <pre>{listenCommand}</pre>
      <Copy text={`${environmentWithKey()}\n${listenCommand}`}>Copy the command with the key</Copy>
    </>
  );
}
