import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { LiveWorkspace } from '../live/workspace.js';

export const LiveContext = createContext<LiveWorkspace | undefined>(undefined);

/** The workspace that the page shows, for a component of a view. */
export function useLive(): LiveWorkspace {
  const live = useContext(LiveContext);
  if (live === undefined) throw new Error('A view needs a LiveContext around it.');
  return live;
}
