import type { JourneyRecord, JourneyRunRecord } from '../model/records.js';
import type { Claim } from './claim.js';
import type { EffectsOf } from './effects.js';

/** The journeys of a workspace, and the runs of its contacts through them. */
export interface JourneyStore {
  /** In the order in which the workspace was given them. */
  list(): Promise<readonly JourneyRecord[]>;
  find(journeyId: string): Promise<JourneyRecord | undefined>;
  /** The journeys that an event of this name starts, in the order of `list`. */
  listStartedBy(event: string): Promise<readonly JourneyRecord[]>;
  /** Adds the journey at the end, or puts it in the place of the one with its id. The runs of that one stay. */
  put(journey: JourneyRecord): Promise<void>;
  /** Deletes the journey; its runs stay. False where there is no such journey. */
  delete(journeyId: string): Promise<boolean>;
  /** Claims the run. Undefined where its next step is not due, it is over, a lease runs on it, or there is none. */
  claimRun(runId: string, now: number): Promise<ClaimedRun | undefined>;
  /** Puts the claimed run back as it stands now, and ends the claim. False where it is not the latest, or has ended. */
  saveRun(claim: Claim, run: JourneyRunRecord): Promise<boolean>;
  /** Ends the claim of a run whose step could not be taken: it can be claimed again. Does nothing if it is not the latest. */
  releaseRun(claim: Claim): Promise<void>;
  /** In the order in which they began. A store may forget the oldest of those that are over. */
  listRuns(): Promise<readonly JourneyRunRecord[]>;
}

export const journeyEffects: EffectsOf<JourneyStore> = {
  list: 'reads',
  find: 'reads',
  listStartedBy: 'reads',
  put: 'writes',
  delete: 'writes',
  claimRun: 'reads',
  saveRun: 'writes',
  releaseRun: 'reads',
  listRuns: 'reads',
};

export interface ClaimedRun {
  readonly claim: Claim;
  readonly run: JourneyRunRecord;
}
