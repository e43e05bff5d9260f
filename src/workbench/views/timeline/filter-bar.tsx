import { Choice } from '../../elements/action.js';
import { kindName, kinds } from '../../elements/icon.js';
import { hrefOf, replaceRoute } from '../../live/route.js';
import { counted } from '../../reading/counted.js';
import { type Filter, isEverything } from '../../reading/filter.js';
import { useBench } from '../bench.js';

/** Which entries the timeline shows. Each change is in the URL, so that it can be kept and shared. */
export function FilterBar({ filter, found }: { readonly filter: Filter; readonly found: number }) {
  const { live, route } = useBench();
  const change = (changes: Partial<Filter>) => {
    const { entry } = route.value.parameters;
    replaceRoute(hrefOf('timeline', { ...filter, ...changes, entry }));
  };
  const named = filter.kind.split(',').filter(Boolean);
  return (
    <div class="filter" role="search">
      <div class="search">
        <input
          type="search"
          aria-label="Text in the entries"
          aria-keyshortcuts="/"
          placeholder="Find text, an id, a phone …"
          value={filter.text}
          onInput={(event) => change({ text: event.currentTarget.value })}
        />
        <small aria-live="polite">{counted(found)}</small>
      </div>
      <div class="choices" role="group" aria-label="Kinds of entries">
        {kinds.map((kind) => {
          const others = named.filter((each) => each !== kind);
          const isOn = others.length < named.length;
          const toggled = isOn ? others : [...named, kind];
          return (
            <Choice key={kind} isOn={isOn} onClick={() => change({ kind: toggled.join() })}>
              {kindName(kind)}
            </Choice>
          );
        })}
        <Choice
          isOn={filter.outcome !== ''}
          onClick={() => change({ outcome: filter.outcome === '' ? 'failed' : '' })}
        >
          Failed only
        </Choice>
        {isEverything(filter) && (
          <Choice isOn={filter.each !== ''} onClick={() => change({ each: filter.each === '' ? '1' : '' })}>
            Each entry
          </Choice>
        )}
        <Choice
          isOn={live.recording.value !== undefined}
          title="Record what happens from now on as a test"
          onClick={() => {
            live.recording.value ??= live.journal.entries.at(-1)?.number ?? 0;
          }}
        >
          ● Record
        </Choice>
        {filter.contact !== '' && (
          <Choice
            isOn
            label={`Remove the filter by contact ${filter.contact}`}
            onClick={() => change({ contact: '' })}
          >
            {filter.contact} ×
          </Choice>
        )}
        {!isEverything(filter) && (
          <a class="choice" href={hrefOf('timeline')}>
            Clear
          </a>
        )}
      </div>
    </div>
  );
}
