/** The beginning of every signing secret (document §2). The prefix is part of the key. */
export const secretPrefix = 'whsec_';
