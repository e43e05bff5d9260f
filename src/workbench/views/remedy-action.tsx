import type { Remedy } from '../../server/index.js';
import { Action } from '../elements/action.js';
import { useBench } from './bench.js';

/** The button that removes the reason of a failure and tries again. Its words say all that it does. */
export function RemedyAction({ remedy }: { readonly remedy: Remedy | undefined }) {
  const { live } = useBench();
  if (remedy === undefined) return null;
  return (
    <Action look="primary" onRun={() => live.surface.inOrder(remedy.requests)}>
      {remedy.label}
    </Action>
  );
}
