import { useSignal } from '@preact/signals';
import { Action, attempt } from '../../elements/action.js';
import { type Contact, firstNameIn } from '../../reading/people.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';

/** Writes as the contact. */
export function Composer({ contact: { phone, properties } }: { readonly contact: Contact }) {
  const { live } = useBench();
  const text = useSignal('');
  const write = (body: string) =>
    live.surface.control(control.simulate.inboundMessage, { body: { phone, body } });
  const send = async (event: Event) => {
    event.preventDefault();
    const body = text.value;
    if (body === '') return;
    text.value = '';
    if (!(await attempt(() => write(body)))) text.value = body;
  };
  const label = `Write as ${firstNameIn(properties) ?? phone}`;
  return (
    <div class="say">
      <form onSubmit={send}>
        <textarea
          rows={1}
          value={text.value}
          aria-label={label}
          aria-keyshortcuts="c"
          placeholder={label}
          title="Enter sends. Shift+Enter begins a line."
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) void send(event);
          }}
        />
        <button type="submit" class="primary">
          Send
        </button>
      </form>
      <div class="acts">
        <Action label="Write START: opt in" onRun={() => write('START')}>
          START
        </Action>
        <Action label="Write STOP: opt out" onRun={() => write('STOP')}>
          STOP
        </Action>
      </div>
    </div>
  );
}
