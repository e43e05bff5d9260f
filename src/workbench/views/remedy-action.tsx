import type { Remedy } from '../../server/index.js';
import { Action } from '../elements/action.js';
import { useLive } from './use-live.js';

/** The button that removes the reason of a failure and tries again. Its words say all that it does. */
export function RemedyAction({ remedy }: { readonly remedy: Remedy | undefined }) {
  const { surface } = useLive();
  if (remedy === undefined) return null;
  return (
    <Action look="primary" onRun={() => surface.inOrder(remedy.requests)}>
      {remedy.label}
    </Action>
  );
}
