import type { ComponentChildren } from 'preact';
import { Action } from '../../elements/action.js';
import { copy } from '../../elements/copy.js';
import { Foreign } from '../../elements/foreign.js';
import { counted, countOf } from '../../reading/counted.js';
import { faultInWords, isSpent } from '../../reading/faults.js';
import { control } from '../../surface/operations.js';
import { useLive } from '../use-live.js';
import './strip.css';

/** What is not normal in the workspace. Nothing shows when all is normal. */
export function Strip() {
  const live = useLive();
  const { surface } = live;
  const { value: quota } = live.quota;
  const templates = live.templates.value?.filter(({ status }) => status !== 'approved') ?? [];
  return (
    <section class="strip-place" aria-label="State of the workspace">
      <ul class="bare strip" aria-label="What is not normal">
        {live.connection.value.kind === 'lost' && (
          <li class="tag bad">Connection lost. The page may be outdated. Reconnecting …</li>
        )}
        {live.hasRestarted.value && (
          <Item
            name="Close the note of the restart"
            onEnd={async () => {
              live.hasRestarted.value = false;
            }}
          >
            the server has restarted, and the timeline starts again
          </Item>
        )}
        {live.recording.value !== undefined && <Recording since={live.recording.value} />}
        {live.clock.value?.flow === 'frozen' && (
          <Item name="Let the clock flow" onEnd={() => live.moveClock(surface.control(control.clock.flow))}>
            the clock is frozen
          </Item>
        )}
        {live.faults.value
          ?.filter((fault) => !isSpent(fault))
          .map(({ id, rule }) => (
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
        {live.journal.gone.value > 0 && (
          <li class="tag plain" title="The journal only keeps the newest entries.">
            {counted(live.journal.gone.value)} older entries were dropped
          </li>
        )}
      </ul>
    </section>
  );
}

/** A recording, which ends with a test of what happened since it began. */
function Recording({ since }: { readonly since: number }) {
  const live = useLive();
  const count = live.journal.entries.filter(({ number }) => number > since).length;
  const stop = async () => {
    if (count > 0)
      await copy((await live.surface.control(control.journal.testSince, { query: { since } })).test);
    live.recording.value = undefined;
  };
  return (
    <li class="tag bad">
      <span>● recording, {countOf(count, 'entry', 'entries')}</span>
      <Action look="quiet" onRun={stop} done={count > 0 ? 'The test is copied.' : undefined}>
        {count > 0 ? 'Stop and copy the test' : 'Stop'}
      </Action>
    </li>
  );
}

interface ItemProperties {
  readonly name: string;
  /** Makes it normal again. */
  readonly onEnd: () => Promise<unknown>;
  readonly children: ComponentChildren;
}

function Item({ name, onEnd, children }: ItemProperties) {
  return (
    <li class="tag wait">
      <span>{children}</span>
      <Action look="quiet" aria-label={name} onRun={onEnd}>
        ×
      </Action>
    </li>
  );
}
