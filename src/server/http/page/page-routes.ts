import type { Answer } from '../../answers/answer.js';
import type { Application } from '../application.js';
import { readPageFiles } from './page-files.js';

/** The content security policy: the page only loads its own files and only calls its own server. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // The browser rejects any assignment of text as markup.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const headers = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Another version of the package has other files at the same paths.
  'Cache-Control': 'no-cache',
};

/** Serves the workbench at `/`. The files contain no data: the page requests all data with the key. */
export async function servePage(application: Application): Promise<void> {
  for (const { path, contentType, text } of await readPageFiles()) {
    const answer: Answer = { status: 200, headers: { ...headers, 'Content-Type': contentType }, body: text };
    application.handleOpenly('GET', path, async () => answer);
  }
}
