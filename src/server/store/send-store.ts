import type { QuotaChange, QuotaRecord, SendRecord } from '../model/records.js';
import type { Claim } from './claim.js';
import type { EffectsOf } from './effects.js';

/** The sends of a workspace, and the quota that pays for them. */
export interface SendStore {
  /** What is left to spend. */
  readQuota(): Promise<QuotaRecord>;
  /**
   * Sets what is left of the plan, of the add-on credits or of both; what is undefined stays. Gives what is left then.
   */
  setQuota(quota: QuotaChange): Promise<QuotaRecord>;
  /**
   * Takes one conversation off the plan or, where that is used up, off the add-on credits. Adds the send as pending,
   * and claims it. Undefined where neither has a conversation left: then nothing is added.
   */
  begin(send: NewSend): Promise<ClaimedSend | undefined>;
  /**
   * Settles the claimed send. An accepted one is sent. A rejected one is removed, and a refund puts back what it took
   * to where it took it from. False where the claim is not the latest, or has ended: then nothing changes.
   */
  settle(claim: Claim, outcome: SendOutcome): Promise<boolean>;
  /** Claims the oldest pending send on which no lease runs: whoever began it has died. */
  claimAbandoned(): Promise<ClaimedSend | undefined>;
  /**
   * Those that are pending or sent, in the order in which they began. They stay when their contact is deleted. A store
   * may forget the oldest of those that are sent.
   */
  list(): Promise<readonly SendRecord[]>;
}

export const sendEffects: EffectsOf<SendStore> = {
  readQuota: 'reads',
  setQuota: 'writes',
  begin: 'writes',
  settle: 'writes',
  claimAbandoned: 'reads',
  list: 'reads',
};

export type NewSend = Omit<SendRecord, 'status' | 'paidBy'>;

export interface ClaimedSend {
  readonly claim: Claim;
  readonly send: SendRecord;
}

export type SendOutcome =
  | { readonly accepted: true }
  | { readonly accepted: false; readonly refund: boolean };
