/** What the tests use of a package that has no types of its own. */
declare module 'co-body' {
  import type { IncomingMessage } from 'node:http';

  const parsers: { text(request: IncomingMessage): Promise<string> };
  export default parsers;
}
