import { Card } from '../../elements/card.js';
import { segmentInWords } from '../../reading/conditions.js';
import { countOf } from '../../reading/counted.js';
import { useBench } from '../bench.js';

/** The segments, with how many contacts are in each. */
export function SegmentsCard() {
  const { live } = useBench();
  const { value: segments = [] } = live.segments;
  return (
    <Card title="Segments">
      {segments.length === 0 && <small>None. Add one with a seed or PUT /control/segments.</small>}
      <ul class="bare rows">
        {segments.map(({ segment, members }) => (
          <li key={segment.id}>
            <header>
              <b>{segment.id}</b>
              <span class="tag plain">{countOf(members.length, 'contact')}</span>
            </header>
            <small>{segmentInWords(segment)}</small>
          </li>
        ))}
      </ul>
    </Card>
  );
}
