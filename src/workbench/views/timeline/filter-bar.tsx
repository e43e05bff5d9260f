import { kindName, kinds } from '../../elements/icon.js';
import { hrefOf, replaceRoute } from '../../live/route.js';
import { everything, type Filter, isEverything } from '../../reading/filter.js';
import type { Entry } from '../../surface/entry.js';
import { useBench } from '../bench.js';

/** Which entries the timeline shows. Each change is in the URL, so that it can be kept and shared. */
export function FilterBar({ filter, found }: { readonly filter: Filter; readonly found: number }) {
  const { live, route } = useBench();
  const change = (changes: Partial<Filter>) => {
    const { entry } = route.value.parameters;
    replaceRoute(hrefOf('timeline', { ...parametersOf({ ...filter, ...changes }), entry }));
  };
  const toggle = (kind: Entry['type']) => {
    const isOn = filter.kinds.includes(kind);
    change({ kinds: isOn ? filter.kinds.filter((each) => each !== kind) : [...filter.kinds, kind] });
  };
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
        <small aria-live="polite">{found.toLocaleString('en')}</small>
      </div>
      <div class="choices" role="group" aria-label="Kinds of entries">
        {kinds.map((kind) => (
          <button
            key={kind}
            type="button"
            class="choice"
            aria-pressed={filter.kinds.includes(kind)}
            onClick={() => toggle(kind)}
          >
            {kindName(kind)}
          </button>
        ))}
        <button
          type="button"
          class="choice"
          aria-pressed={filter.outcome === 'failed'}
          onClick={() => change({ outcome: filter.outcome === 'failed' ? 'all' : 'failed' })}
        >
          Failed only
        </button>
        {isEverything(filter) && (
          <button
            type="button"
            class="choice"
            aria-pressed={filter.each}
            onClick={() => change({ each: !filter.each })}
          >
            Each entry
          </button>
        )}
        <button
          type="button"
          class="choice"
          title="Record what happens from now on as a test"
          aria-pressed={live.recording.value !== undefined}
          onClick={() => {
            live.recording.value ??= live.journal.entries.at(-1)?.number ?? 0;
          }}
        >
          ● Record
        </button>
        {filter.contact !== '' && (
          <button
            type="button"
            class="choice"
            aria-pressed="true"
            aria-label={`Remove the filter by contact ${filter.contact}`}
            onClick={() => change({ contact: '' })}
          >
            {filter.contact} ×
          </button>
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

/** The filter that the parameters of the URL say. */
export function filterIn({
  kind = '',
  outcome,
  contact,
  text,
  each,
}: Readonly<Record<string, string>>): Filter {
  const named = kind.split(',');
  const found: readonly Entry['type'][] = kinds.filter((each) => named.includes(each));
  const filter: Filter = {
    kinds: found,
    outcome: outcome === 'failed' ? 'failed' : 'all',
    contact: contact ?? '',
    text: text ?? '',
    each: each !== undefined,
  };
  return JSON.stringify(filter) === JSON.stringify(everything) ? everything : filter;
}

/** The parameters of the URL that say the filter. */
export function parametersOf({
  kinds: named,
  outcome,
  contact,
  text,
  each,
}: Filter): Readonly<Record<string, string>> {
  return {
    kind: named.join(','),
    outcome: outcome === 'failed' ? outcome : '',
    contact,
    text,
    each: each ? '1' : '',
  };
}
