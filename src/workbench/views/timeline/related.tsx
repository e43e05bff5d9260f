import { Card } from '../../elements/card.js';
import { hrefOf } from '../../live/route.js';
import { useBench } from '../bench.js';
import { EntryRow } from './entry-row.js';

/** Entries by their numbers, as far as the page has them. */
export function Related({
  title,
  to,
}: {
  readonly title: string;
  readonly to: readonly { number: number }[];
}) {
  const { live } = useBench();
  void live.journal.revision.value;
  const entries = to.flatMap(({ number }) => live.journal.entry(number) ?? []);
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
