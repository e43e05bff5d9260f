/** What the tests use of a package that has no types of its own. */
declare module 'koa-bodyparser' {
  import type { Middleware } from 'koa';

  export default function bodyParser(options?: { jsonLimit?: number }): Middleware;
}
