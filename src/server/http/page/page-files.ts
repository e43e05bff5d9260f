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
