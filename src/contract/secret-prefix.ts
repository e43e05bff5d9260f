/** The beginning of every signing secret. The prefix is part of the key. */
export const secretPrefix = 'whsec_';
