/**
 * Whether a host is this machine: `localhost` and the names below it, which every resolver keeps here (RFC 6761), 127.0.0.0/8 and `::1`.
 *
 * @param hostname The `hostname` of a `URL`, which has parsed the address: `127.1` and `0x7f.1` are `127.0.0.1` there, and
 *   `127.evil.example` stays a name.
 */
export function isThisMachine(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
