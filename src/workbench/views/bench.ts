import type { ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Route } from '../live/route.js';
import type { LiveWorkspace } from '../live/workspace.js';

/** What every view has: the workspace, what the URL says, and the way to another key. */
export interface Bench {
  readonly live: LiveWorkspace;
  readonly route: ReadonlySignal<Route>;
  /** Opens the page with another key, which this tab keeps. */
  readonly openWith: (key: string) => void;
}

export const BenchContext = createContext<Bench | undefined>(undefined);

/** The workspace and the route, for a component of a view. */
export function useBench(): Bench {
  const bench = useContext(BenchContext);
  if (bench === undefined) throw new Error('A view needs a BenchContext around it.');
  return bench;
}
