import { webhookEventTypes } from '../../../contract/webhook-event-type.js';
import { Action, attempt } from '../../elements/action.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';

const modes = {
  verify: '200 if the signature is valid',
  wrong_secret: '401: it has a wrong secret',
  error: '500: its handler fails',
  late: 'after the timeout',
} as const;

/** How the built-in receiver answers, by choice. */
export function ReceiverMode() {
  const { live } = useBench();
  return (
    <label class="receiver-mode">
      <small>It answers</small>
      <select
        aria-label="The built-in receiver answers"
        value={live.receiver.value?.mode}
        onChange={({ currentTarget: { value } }) => {
          const mode = (['verify', 'wrong_secret', 'error', 'late'] as const).find((each) => each === value);
          if (mode === undefined) return;
          void attempt(async () => {
            await live.surface.control(control.receiver.set, { body: { mode } });
            await live.receiver.refresh();
          });
        }}
      >
        {Object.entries(modes).map(([mode, words]) => (
          <option key={mode} value={mode}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Subscribes the built-in receiver to all events. With a mode, also sets how it answers. */
export function ConnectReceiver({ mode }: { readonly mode?: keyof typeof modes }) {
  const { live } = useBench();
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
