import { webhookEventTypes } from '../../../contract/webhook-event-type.js';
import type { ReceiverMode } from '../../../server/model/receiver.js';
import { Action } from '../../elements/action.js';
import { Copy } from '../../elements/copy.js';
import { opening } from '../../surface/key.js';
import { control } from '../../surface/operations.js';
import { useLive } from '../use-live.js';

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
      <p>Set the server and the key in its terminal:</p>
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

/** Subscribes the built-in receiver to all events. With a mode, also sets how it responds. */
export function ConnectReceiver({ mode }: { readonly mode?: ReceiverMode }) {
  const live = useLive();
  const connect = async () => {
    const { url } =
      mode === undefined
        ? await live.surface.control(control.receiver.read)
        : await live.surface.control(control.receiver.set, { body: { mode } });
    await live.surface.control(control.managedWebhooks.create, { body: { url, events: webhookEventTypes } });
    await Promise.all([live.subscriptions.refresh(), live.receiver.refresh()]);
  };
  return (
    <Action look={mode === undefined ? 'plain' : 'primary'} onRun={connect}>
      Connect the built-in receiver
    </Action>
  );
}
