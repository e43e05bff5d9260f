import { toHex } from '../../../webhooks/crypto/bytes.js';
import { sha256 } from '../../../webhooks/crypto/digests.js';
import type { Environment } from '../../model/environment.js';
import { ServiceError } from '../../model/service-error.js';
import { jsonResponse } from '../../responses/response.js';
import { type Application, bearerKey } from '../application.js';

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

/**
 * Serves the workbench at `/`. The files contain no data: the page requests all data with the key.
 *
 * @param randomBytes Returns bytes that nobody can guess.
 */
export function servePage(application: Application, randomBytes: Environment['randomBytes']): void {
  serveCodes(application, randomBytes);
  for (const { path, name, contentType } of files) {
    let body: string | undefined;
    application.handleOpenly('GET', path, async () => {
      body ??= await readPageFile(name);
      return { status: 200, headers: { ...headers, 'Content-Type': contentType }, body };
    });
  }
}

/** The most codes that wait for their use. With more, the oldest opens nothing. */
const mostCodes = 100;

/** The largest body with a code. In bytes. */
const mostBytes = 200;

/**
 * Serves the codes that open the workbench. A browser keeps each URL in its history, so that of the page has a code, which the page
 * exchanges for the key once.
 */
function serveCodes(application: Application, randomBytes: Environment['randomBytes']): void {
  /** The keys, by the digests of their codes. */
  const keys = new Map<string, string>();
  application.handle('POST', '/workbench/codes', async ({ request }) => {
    const code = toHex(randomBytes(16));
    const [oldest] = keys.keys();
    if (oldest !== undefined && keys.size >= mostCodes) keys.delete(oldest);
    keys.set(sha256(code), bearerKey(request.header('authorization')) ?? '');
    return jsonResponse(201, { code }, { 'Cache-Control': 'no-store' });
  });
  application.handleOpenly('POST', '/workbench/key', async ({ request }) => {
    const digest = sha256(new TextDecoder().decode(await request.readBody(mostBytes)));
    const apiKey = keys.get(digest);
    keys.delete(digest);
    if (apiKey === undefined) {
      throw new ServiceError('unauthorized', 'This link was used before, or the server has restarted.');
    }
    return jsonResponse(200, { apiKey }, { 'Cache-Control': 'no-store' });
  });
}

/** The files of the page: the name of each, which the build compresses to `NAME.gz`, and the path that serves it. */
const files = [
  { path: '/', name: 'index.html', contentType: 'text/html; charset=utf-8' },
  { path: '/workbench/main.js', name: 'main.js', contentType: 'text/javascript; charset=utf-8' },
  { path: '/workbench/main.css', name: 'main.css', contentType: 'text/css; charset=utf-8' },
  { path: '/workbench/icon.svg', name: 'icon.svg', contentType: 'image/svg+xml; charset=utf-8' },
] as const;

/**
 * Reads a file of the page from the installed package.
 *
 * @throws Error if the package does not contain it.
 */
async function readPageFile(name: string): Promise<string> {
  const [{ readFile }, { createRequire }, { gunzipSync }] = await Promise.all([
    import('node:fs/promises'),
    import('node:module'),
    import('node:zlib'),
  ]);
  // Resolved by the package's name, because the location of this module depends on the build.
  const manifest = createRequire(import.meta.url).resolve('messaging-automation/package.json');
  try {
    const compressed = await readFile(manifest.replace(/package\.json$/, `dist/workbench/${name}.gz`));
    return gunzipSync(compressed).toString();
  } catch (cause) {
    throw new Error(
      'The workbench cannot be served: the package has no dist/workbench. Install the package again, or run `npm run build` in its repository.',
      { cause },
    );
  }
}
