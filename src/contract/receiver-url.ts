/** The longest URL of a receiver that the reference server accepts, in characters. */
export const longestReceiverUrl = 2_048;

const host = String.raw`(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])`;
const character = `(?:[A-Za-z0-9._~:/@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})`;
const queryOrFragment = String.raw`(?:${character}|\?)*`;

/**
 * The form of a receiver's URL: a URI of HTTPS or HTTP as RFC 3986 defines it, without a user name. URL parsers accept
 * other text and change it, each in its own way.
 */
export const receiverUrlPattern = new RegExp(
  `^[Hh][Tt][Tt][Pp][Ss]?://${host}(?::[0-9]*)?(?:/${character}*)?(?:\\?${queryOrFragment})?(?:#${queryOrFragment})?$`,
);
