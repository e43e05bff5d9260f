import { useMemo } from 'preact/hooks';
import { Card } from '../../elements/card.js';
import { segmentInWords } from '../../reading/conditions.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';

/** The segments, with how many contacts are in each. */
export function SegmentsCard() {
  const { live } = useBench();
  const segments = useMemo(
    () =>
      live.shows(async () => {
        const { data } = await live.surface.control(control.segments.list);
        return Promise.all(
          data.map(async (segment) => {
            const { id } = segment;
            const members = await live.surface.control(control.journal.segmentMembers, { path: { id } });
            return { id, rule: segmentInWords(segment), count: members.data.length };
          }),
        );
      }),
    [live],
  );
  const { value = [] } = segments;
  return (
    <Card title="Segments">
      {value.length === 0 && <small>None. The seed's `segments` or PUT /control/segments adds one.</small>}
      <ul class="bare rows">
        {value.map(({ id, rule, count }) => (
          <li key={id}>
            <header>
              <b>{id}</b>
              <span class="tag plain">
                {count.toLocaleString('en')} {count === 1 ? 'contact' : 'contacts'}
              </span>
            </header>
            <small>{rule}</small>
          </li>
        ))}
      </ul>
    </Card>
  );
}
