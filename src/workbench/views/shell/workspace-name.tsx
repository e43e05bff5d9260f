import { useBench } from '../bench.js';

/** The id of the workspace, and the way to another one. */
export function WorkspaceName({ onLeave }: { readonly onLeave: () => void }) {
  const { live } = useBench();
  return (
    <button type="button" class="quiet workspace-name" onClick={onLeave} title="Open another workspace">
      {live.id.value ?? '…'}
    </button>
  );
}
