import type { Page, PageRange } from '../model/page.js';
import type { JourneyRecord, JourneyRunRecord } from '../model/records.js';
import type { Claim } from './claim.js';
import type { DefinitionStore } from './definition-store.js';

/** The journeys of a workspace, and the runs of its contacts through them. */
export interface JourneyStore extends DefinitionStore<JourneyRecord> {
  /** Returns the journeys that an event of this name starts, in the order of `list`. */
  listStartedBy(event: string): Promise<readonly JourneyRecord[]>;
  /** Claims the run. Undefined if it does not exist, has ended, has a running lease, or its next step is not due. */
  claimRun(runId: string, now: number): Promise<ClaimedRun | undefined>;
  /** Saves the claimed run, and ends the claim. False if the claim is not the latest or has ended. */
  saveRun(claim: Claim, run: JourneyRunRecord): Promise<boolean>;
  /** Ends the claim of a run whose step failed, so that it can be claimed again. Does nothing if the claim is not the latest. */
  releaseRun(claim: Claim): Promise<void>;
  /** Returns a page of the runs in the order of their start. A store may drop the oldest ended runs. */
  pageOfRuns(range: PageRange): Promise<Page<JourneyRunRecord>>;
}

export interface ClaimedRun {
  readonly claim: Claim;
  readonly run: JourneyRunRecord;
}
