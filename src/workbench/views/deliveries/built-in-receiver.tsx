import { webhookEventTypes } from '../../../contract/webhook-event-type.js';
import { Action, attempt } from '../../elements/action.js';
import { Select } from '../../elements/form.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';

const modes = ['verify', 'wrong_secret', 'error', 'late'] as const;

type Mode = (typeof modes)[number];

const words: Readonly<Record<Mode, string>> = {
  verify: '200 if the signature is valid',
  wrong_secret: '401: it has a wrong secret',
  error: '500: its handler fails',
  late: 'after the timeout',
};

/** How the built-in receiver responds, by choice. */
export function ReceiverMode() {
  const { live } = useBench();
  const set = async (mode: Mode) => {
    await live.surface.control(control.receiver.set, { body: { mode } });
    await live.receiver.refresh();
  };
  return (
    <div class="receiver-mode">
      <small>It responds</small>
      <Select
        label="The built-in receiver responds"
        options={modes}
        words={words}
        value={live.receiver.value?.mode}
        onChoose={(mode) => attempt(() => set(mode))}
      />
    </div>
  );
}

/** Subscribes the built-in receiver to all events. With a mode, also sets how it responds. */
export function ConnectReceiver({ mode }: { readonly mode?: Mode }) {
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
