import { useBench } from '../bench.js';

/** Whether the page is up to date. A lost connection is said aloud. */
export function Connection() {
  const { live } = useBench();
  const state = live.connection.value;
  const gone = live.journal.gone.value;
  const behind = state.kind === 'live' ? state.behind : 0;
  return (
    <span class={`connection ${behind > 0 ? 'behind' : state.kind}`} role="status">
      {behind > 0 && `${behind.toLocaleString('en')} behind`}
      {state.kind === 'live' && behind === 0 && 'live'}
      {state.kind === 'connecting' && 'connecting …'}
      {state.kind === 'lost' && 'Connection lost. The page may be outdated. Reconnecting …'}
      {gone > 0 && (
        <small title="The journal only keeps the newest entries.">
          {' '}
          · {gone.toLocaleString('en')} older entries were dropped
        </small>
      )}
    </span>
  );
}
