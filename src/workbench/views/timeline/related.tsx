import { Card } from '../../elements/card.js';
import { hrefOf } from '../../live/route.js';
import { relationsOf } from '../../reading/causes.js';
import type { Entry } from '../../surface/entry.js';
import { useBench } from '../bench.js';
import { EntryRow } from './entry-row.js';

/** What caused an entry and what it caused, as far as the journal says. */
export function Related({ entry }: { readonly entry: Entry }) {
  const { live } = useBench();
  void live.journal.revision.value;
  const { causes, effects } = relationsOf(entry, live.journal.entries);
  return (
    <>
      <Entries title="Caused by" entries={causes} />
      <Entries title="Caused" entries={effects} />
    </>
  );
}

function Entries({ title, entries }: { readonly title: string; readonly entries: readonly Entry[] }) {
  if (entries.length === 0) return null;
  return (
    <Card title={title}>
      <ul class="related">
        {entries.map((entry) => (
          <li key={entry.number}>
            <EntryRow
              entry={entry}
              href={hrefOf('timeline', { entry: String(entry.number) })}
              isOpen={false}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}
