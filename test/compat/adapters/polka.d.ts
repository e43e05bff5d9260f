/** What the tests use of a package that has no types of its own. */
declare module 'polka' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => unknown;

  interface Polka {
    readonly handler: RequestListener;
    use(middleware: Middleware): Polka;
    use(path: string, ...middleware: Middleware[]): Polka;
  }

  export default function polka(): Polka;
}
