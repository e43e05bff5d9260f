/** The names of gzip in the header, by RFC 9110: its own, an older one, and the one for every coding that is not named. */
const gzipNames = ['gzip', 'x-gzip', '*'];

/**
 * Whether a client takes gzip, by its `Accept-Encoding`, and does not prefer the file as it is. A client without the header may be one
 * that cannot decompress.
 */
export function prefersGzip(acceptEncoding = ''): boolean {
  const weights = new Map(acceptEncoding.toLowerCase().split(',').map(weighted));
  const weightOf = (names: readonly string[]) =>
    names.map((name) => weights.get(name)).find((weight) => weight !== undefined) ?? 0;
  const gzip = weightOf(gzipNames);
  return gzip > 0 && gzip >= weightOf(['identity']);
}

/** A coding and its weight, from `gzip;q=0.5`. A weight that cannot be read is 0, as in `gzip;q=0`: the client then gets what each client can read. */
function weighted(part: string): readonly [coding: string, weight: number] {
  const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter)) ?? 'q=1';
  const digits = /^q\s*=\s*([01](?:\.\d{0,3})?)$/.exec(weight)?.[1];
  return [coding, digits === undefined ? 0 : Math.min(1, Number(digits))];
}
