import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { FollowedWorkspace } from '../live/workspace.js';

export const LiveContext = createContext<FollowedWorkspace | undefined>(undefined);

/** The workspace that the page shows, for a component of a view. */
export function useLive(): FollowedWorkspace {
  const live = useContext(LiveContext);
  if (live === undefined) throw new Error('A view needs a LiveContext around it.');
  return live;
}
