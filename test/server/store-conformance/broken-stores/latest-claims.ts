import type { Claim } from '../../../../src/server/store/claim.js';

/** Forgets which claim is whose: it settles whatever is claimed with the latest claim. */
export function latestClaims() {
  const tokens = new Map<string, string>();
  return {
    note<T extends { readonly claim: Claim }>(claimed: T | undefined): T | undefined {
      if (claimed !== undefined) tokens.set(claimed.claim.id, claimed.claim.token);
      return claimed;
    },
    of: ({ id, token }: Claim): Claim => ({ id, token: tokens.get(id) ?? token }),
  };
}
