import { toHex } from '../../../webhooks/crypto/bytes.js';
import { sha256 } from '../../../webhooks/crypto/digests.js';
import type { Environment } from '../../model/environment.js';
import { ServiceError } from '../../model/service-error.js';
import { jsonResponse } from '../../responses/response.js';
import { type Application, bearerKey } from '../application.js';
import { prefersGzip } from './prefers-gzip.js';

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
  Vary: 'Accept-Encoding',
};

/**
 * Serves the workbench at `/`. The files contain no data: the page requests all data with the key.
 *
 * @param randomBytes Returns bytes that nobody can guess.
 * @throws Error if the package has no page.
 */
export async function servePage(
  application: Application,
  randomBytes: Environment['randomBytes'],
): Promise<void> {
  const files = await readPageFiles();
  serveCodes(application, randomBytes);
  for (const [name, compressed] of files) {
    const path = name === 'index.html' ? '/' : `/workbench/${name}`;
    const ofFile = { ...headers, 'Content-Type': contentTypes[extensionOf(name)] ?? '' };
    application.handleOpenly('GET', path, async ({ request }) => {
      if (prefersGzip(request.header('accept-encoding'))) {
        return { status: 200, headers: { ...ofFile, 'Content-Encoding': 'gzip' }, bytes: compressed };
      }
      return { status: 200, headers: ofFile, bytes: await decompressed(compressed) };
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

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/** The text after the last dot of a name. */
function extensionOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/**
 * Reads the files of the page from the installed package, where the build has compressed each to `NAME.gz`. It reads all at once: after an
 * update of the package, a page whose files are of two builds would not work.
 */
async function readPageFiles(): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
  const [{ readdir, readFile }, { createRequire }] = await Promise.all([
    import('node:fs/promises'),
    import('node:module'),
  ]);
  try {
    // Resolved by the package's name, because the location of this module depends on the build.
    const manifest = createRequire(import.meta.url).resolve('messaging-automation/package.json');
    const folder = manifest.replace(/package\.json$/, 'dist/workbench');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.gz'));
    if (names.length === 0) throw new Error(`${folder} is empty.`);
    return new Map(
      await Promise.all(
        names.map(async (name) => [name.slice(0, -3), await readFile(`${folder}/${name}`)] as const),
      ),
    );
  } catch (cause) {
    throw new Error(
      'The workbench cannot be served: the package has no dist/workbench. Install the package again, or run `npm run build` in its repository.',
      { cause },
    );
  }
}

async function decompressed(file: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const { gunzipSync } = await import('node:zlib');
  return gunzipSync(file);
}
