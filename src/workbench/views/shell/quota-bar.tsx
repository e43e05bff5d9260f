import { hrefOf } from '../../live/route.js';
import { useBench } from '../bench.js';

/** The remaining conversations, and the way to change them. */
export function QuotaBar() {
  const { live } = useBench();
  const { value } = live.quota;
  if (value === undefined) return null;
  const left = value.quota + value.addOnCredits;
  return (
    <a class={`quota${left === 0 ? ' used-up' : ''}`} href={hrefOf('workspace')}>
      {left.toLocaleString('en')} {left === 1 ? 'send' : 'sends'} left
    </a>
  );
}
