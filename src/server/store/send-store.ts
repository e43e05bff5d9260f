import type { QuotaChange, QuotaRecord, SendRecord } from '../model/records.js';
import type { Claim } from './claim.js';

/** The sends of a workspace, and the quota that pays for them. */
export interface SendStore {
  /** What is left to spend. */
  readQuota(): Promise<QuotaRecord>;
  /** Sets what is left of the plan, of the add-on credits or of both. Gives what is left then. */
  setQuota(quota: QuotaChange): Promise<QuotaRecord>;
  /**
   * Takes one conversation off the plan or, when that is used up, off the add-on credits, and adds the send as
   * pending, claimed. Undefined where neither has one left.
   */
  begin(send: NewSend): Promise<ClaimedSend | undefined>;
  /**
   * Settles a claimed send. An accepted one is sent. A rejected one is removed, and a refund returns what it took.
   * False where the claim is not the latest, or is settled already.
   */
  settle(claim: Claim, outcome: SendOutcome): Promise<boolean>;
  /** Claims the oldest pending send whose lease has run out: whoever began it is gone. */
  claimAbandoned(): Promise<ClaimedSend | undefined>;
  /** The sends that were not rejected, oldest first. */
  list(): Promise<readonly SendRecord[]>;
}

export type NewSend = Omit<SendRecord, 'status' | 'paidBy'>;

export interface ClaimedSend {
  readonly claim: Claim;
  readonly send: SendRecord;
}

export type SendOutcome =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly refund: boolean };
