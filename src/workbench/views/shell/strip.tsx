import type { ComponentChildren } from 'preact';
import { Action } from '../../elements/action.js';
import { copy } from '../../elements/copy.js';
import { Foreign } from '../../elements/foreign.js';
import { faultInWords } from '../../reading/faults.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';
import './strip.css';

/** What is not normal in the workspace, on every view. Nothing shows when all is normal. */
export function Strip() {
  const { live } = useBench();
  const { surface } = live;
  const quota = live.quota.value;
  const templates = live.templates.value?.filter(({ status }) => status !== 'approved') ?? [];
  return (
    <ul class="bare strip" aria-label="What is not normal">
      {live.recording.value !== undefined && <Recording since={live.recording.value} />}
      {live.clock.value?.flow === 'frozen' && (
        <Item
          name="Let the clock flow"
          onEnd={async () => {
            await surface.control(control.clock.flow);
            await live.clock.refresh();
          }}
        >
          the clock is frozen
        </Item>
      )}
      {live.faults.value?.map(({ id, rule }) => (
        <Item
          key={id}
          name={`End the fault: ${faultInWords(rule)}`}
          onEnd={() => surface.control(control.faults.remove, { path: { id } })}
        >
          fault: {faultInWords(rule)}
        </Item>
      ))}
      {quota !== undefined && quota.quota + quota.addOnCredits === 0 && (
        <Item
          name="Restore 100 sends"
          onEnd={() => surface.control(control.quota.set, { body: { quota: 100 } })}
        >
          no sends left
        </Item>
      )}
      {templates.map(({ id, status }) => (
        <Item
          key={id}
          name={`Approve ${id}`}
          onEnd={() =>
            surface.control(control.templates.update, { path: { id }, body: { status: 'approved' } })
          }
        >
          template <Foreign text={id} most={60} /> is {status}
        </Item>
      ))}
    </ul>
  );
}

/** A recording, which ends with a test of what happened since it began. */
function Recording({ since }: { readonly since: number }) {
  const { live } = useBench();
  void live.journal.revision.value;
  const count = live.journal.entries.filter(({ number }) => number > since).length;
  const stop = async () => {
    if (count > 0)
      await copy((await live.surface.control(control.journal.testSince, { query: { since } })).test);
    live.recording.value = undefined;
  };
  return (
    <li class="tag bad">
      <span>● recording, {count === 1 ? '1 entry' : `${count} entries`}</span>
      <Action look="quiet" onRun={stop} done={count > 0 ? 'The test is copied.' : undefined}>
        {count > 0 ? 'Stop and copy the test' : 'Stop'}
      </Action>
    </li>
  );
}

interface ItemProperties {
  readonly name?: string;
  /** Makes it normal again. */
  readonly onEnd?: () => Promise<unknown>;
  readonly children: ComponentChildren;
}

function Item({ name, onEnd, children }: ItemProperties) {
  return (
    <li class="tag wait">
      <span>{children}</span>
      {onEnd && (
        <Action look="quiet" label={name} onRun={onEnd}>
          ×
        </Action>
      )}
    </li>
  );
}
