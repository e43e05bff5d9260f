import type { Answer } from '../../answers/answer.js';
import type { Application } from '../application.js';

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

/** A file of the workbench. */
export interface PageFile {
  readonly path: string;
  readonly contentType: string;
  readonly text: string;
}

/** The files of the page: where the build writes each one, and the path that serves it. */
const files = [
  { path: '/', name: 'index.html', contentType: 'text/html; charset=utf-8' },
  { path: '/workbench/main.js', name: 'main.js', contentType: 'text/javascript; charset=utf-8' },
  { path: '/workbench/main.css', name: 'main.css', contentType: 'text/css; charset=utf-8' },
  { path: '/workbench/icon.svg', name: 'icon.svg', contentType: 'image/svg+xml; charset=utf-8' },
] as const;

/**
 * Reads the files of the page from the installed package.
 *
 * @throws Error if the package does not contain them.
 */
export async function readPageFiles(): Promise<readonly PageFile[]> {
  const [{ readFile }, { createRequire }] = await Promise.all([
    import('node:fs/promises'),
    import('node:module'),
  ]);
  // Resolved by the package's name, because the location of this module depends on the build.
  const manifest = createRequire(import.meta.url).resolve('messaging-automation/package.json');
  const folder = manifest.replace(/package\.json$/, 'dist/workbench/');
  try {
    return await Promise.all(
      files.map(async ({ path, name, contentType }) => ({
        path,
        contentType,
        text: await readFile(folder + name, 'utf8'),
      })),
    );
  } catch (cause) {
    throw new Error(
      'The workbench cannot be served: the package has no dist/workbench. Install the package again, or run `npm run build` in its repository.',
      { cause },
    );
  }
}
