import type { JourneyRecord, JourneyRunRecord } from '../model/records.js';
import type { Claim } from './claim.js';

/** The journeys of a workspace, and the runs of its contacts through them. */
export interface JourneyStore {
  /** In the order in which the workspace was given them. */
  list(): Promise<readonly JourneyRecord[]>;
  find(journeyId: string): Promise<JourneyRecord | undefined>;
  /** The journeys that an event of this name starts. */
  listStartedBy(event: string): Promise<readonly JourneyRecord[]>;
  /** Adds the journey, or replaces the one with its id. A run goes on at the step that has its position. */
  put(journey: JourneyRecord): Promise<void>;
  /** False where there is none. Its runs stay, and end at their next step. */
  delete(journeyId: string): Promise<boolean>;
  /** Claims a run whose next step is due. Undefined where it is not due, is over, or somebody holds it. */
  claimRun(runId: string, now: number): Promise<ClaimedRun | undefined>;
  /** Puts a claimed run back as it stands now. False where the claim is not the latest, or the run is gone. */
  saveRun(claim: Claim, run: JourneyRunRecord): Promise<boolean>;
  /** The runs of the contacts there are, oldest first. */
  listRuns(): Promise<readonly JourneyRunRecord[]>;
}

export interface ClaimedRun {
  readonly claim: Claim;
  readonly run: JourneyRunRecord;
}
